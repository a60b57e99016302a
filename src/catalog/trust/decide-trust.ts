// Whether a file may run: a pure function of its content, of what the user trusted before, and of this run's options.
// A front end asks the question and records the answer; nothing here reads a file, a setting or the environment, so no
// project can influence it.

import type { ComputedImport } from "../modules/import-closure.ts";
import type { TrustKind, TrustSubject } from "./trust-subject.ts";

/** What the user trusted, as the store keeps it. */
export interface TrustRecord {
  readonly kind: TrustKind;
  readonly path: string;
  readonly hash: string;
  /** ISO time. */
  readonly trustedAt: string;
  /** Path → sha256 of every file that was trusted. */
  readonly files: Readonly<Record<string, string>>;
}

export type FileStatus = "same" | "added" | "changed" | "removed";

export interface QuestionFile {
  readonly path: string;
  readonly change: FileStatus;
  /** Absent for a file that was removed. */
  readonly sha256?: string;
  /** What was trusted under this path before. */
  readonly trustedSha256?: string;
}

/** Everything a user needs in order to decide. */
export interface ConsentNeeded {
  readonly kind: TrustKind;
  readonly path: string;
  readonly hash: string;
  /** `changed`: an earlier version was trusted. */
  readonly reason: "new" | "changed";
  readonly files: readonly QuestionFile[];
  /** Code that the hash does not cover: packages, and imports that are only known when it runs. */
  readonly packages: readonly string[];
  readonly runtimeModules: readonly string[];
  readonly computed: readonly ComputedImport[];
}

export type TrustDecision =
  | { readonly isTrusted: true; readonly because: "own" | "recorded" | "this-run" }
  | { readonly isTrusted: false; readonly question: ConsentNeeded };

export interface TrustOptions {
  /** `--trust`: yes to everything, for this run only; nothing is recorded. */
  readonly isTrustedForThisRun?: boolean | undefined;
  /** The same for content with these hashes only. */
  readonly trustedHashes?: ReadonlySet<string> | undefined;
}

export function decideTrust(
  subject: TrustSubject,
  record: TrustRecord | undefined,
  options: TrustOptions = {},
): TrustDecision {
  if (subject.isOwn) return { isTrusted: true, because: "own" };
  // A record is for one path: the same bytes elsewhere could import other packages.
  const isSame = record?.hash === subject.hash && record.path === subject.path && record.kind === subject.kind;
  if (isSame) return { isTrusted: true, because: "recorded" };
  if (options.isTrustedForThisRun === true || options.trustedHashes?.has(subject.hash) === true)
    return { isTrusted: true, because: "this-run" };
  return { isTrusted: false, question: questionAbout(subject, record) };
}

function questionAbout(subject: TrustSubject, record: TrustRecord | undefined): ConsentNeeded {
  const { kind, path, hash, packages, runtimeModules, computed } = subject;
  const before = new Map(Object.entries(record?.files ?? {}));
  const files: QuestionFile[] = subject.files.map((file) => {
    const trustedSha256 = before.get(file.path);
    before.delete(file.path);
    if (trustedSha256 === undefined) return { path: file.path, change: "added", sha256: file.sha256 };
    const change = trustedSha256 === file.sha256 ? "same" : "changed";
    return { path: file.path, change, sha256: file.sha256, trustedSha256 };
  });
  for (const [removed, trustedSha256] of before) files.push({ path: removed, change: "removed", trustedSha256 });
  const reason = record === undefined ? "new" : "changed";
  return { kind, path, hash, reason, files, packages, runtimeModules, computed };
}
