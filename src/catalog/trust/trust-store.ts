// What the user trusted, under ATOMIC_HOME: trust.json, and the trusted bytes by their hash, so that a later question
// can show what changed. Owns the format, the lock and the checks that the file belongs to the user.
//
// Fails closed: a store that can't be read, or that other users may write to, trusts nothing, reports why, and is never
// replaced.

import { isRecord } from "../../lib/is-record.ts";
import { existsSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFileAtomically, keepsModes, writeFileAtomically } from "../../lib/atomic-file.ts";
import type { Clock } from "../../lib/clock.ts";
import { endSentence } from "../../lib/end-sentence.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { createSha256 } from "../../lib/sha256.ts";
import { Refusal } from "../diagnostics.ts";
import { decodeText, readFileBytes } from "../files/read-file.ts";
import type { TrustRecord } from "./decide-trust.ts";
import { type TrustKind, trustKinds, type TrustSubject } from "./trust-subject.ts";

const format = 1;
const maxStoreBytes = 16 * 1024 * 1024;
const lockPatienceMs = 5000;
const lockStaleMs = 30_000;

export interface TrustStore {
  find(kind: TrustKind, path: string): TrustRecord | undefined;
  all(): readonly TrustRecord[];
  /** Durable when it resolves. */
  record(subject: TrustSubject): Promise<void>;
  /** False when there was nothing to forget. */
  forget(kind: TrustKind, path: string): Promise<boolean>;
  /** The text that was trusted under this hash, if it is still kept. */
  trustedText(sha256: string): string | undefined;
  /** Why nothing is trusted although there is a store. */
  readonly problem: string | undefined;
}

type Records = ReadonlyMap<string, TrustRecord>;

export function createTrustStore(atomicHome: string, clock: Clock): TrustStore {
  const file = join(atomicHome, "trust.json");
  const objects = join(atomicHome, "trust");
  let loaded = readStore(file);

  async function change<T>(edit: (records: Map<string, TrustRecord>) => T): Promise<T> {
    mkdirSync(objects, { recursive: true, mode: 0o700 });
    return withLock(join(atomicHome, ".trust.lock"), clock, () => {
      // Another process may have written since we read.
      const current = readStore(file);
      if (current.problem !== undefined) throw invalid(current.problem);
      const records = new Map(current.records);
      const result = edit(records);
      const entries = Object.fromEntries([...records].toSorted(([a], [b]) => (a < b ? -1 : 1)));
      writeFileAtomically(file, `${JSON.stringify({ version: format, entries }, null, 2)}\n`);
      loaded = { records, problem: undefined };
      return result;
    });
  }

  return {
    find: (kind, path) => loaded.records.get(keyOf(kind, path)),
    all: () => [...loaded.records.values()],
    async record(subject) {
      mkdirSync(objects, { recursive: true, mode: 0o700 });
      for (const each of subject.files) keepBytes(objects, each.sha256, each.bytes);
      await change((records) => {
        records.set(keyOf(subject.kind, subject.path), {
          kind: subject.kind,
          path: subject.path,
          hash: subject.hash,
          trustedAt: new Date(clock.now()).toISOString(),
          files: Object.fromEntries(subject.files.map((each) => [each.path, each.sha256])),
        });
      });
    },
    forget: (kind, path) => change((records) => records.delete(keyOf(kind, path))),
    trustedText: (sha256) => readBytes(objects, sha256),
    get problem() {
      return loaded.problem;
    },
  };
}

function keyOf(kind: TrustKind, path: string): string {
  return `${kind}:${path}`;
}

interface LoadedStore {
  readonly records: Records;
  readonly problem: string | undefined;
}

function readStore(file: string): LoadedStore {
  const nothing = (problem: string | undefined): LoadedStore => ({ records: new Map(), problem });
  try {
    const info = lstatSync(file, { throwIfNoEntry: false });
    if (info === undefined) return nothing(undefined);
    // On a file system without file modes, the mount decides who may write.
    if (process.platform !== "win32" && (info.mode & 0o022) !== 0 && keepsModes(dirname(file))) {
      return nothing(`${file} is writable by other users. Run: chmod go-w ${file}`);
    }
    return { records: parseStore(decodeText(readFileBytes(file, maxStoreBytes))), problem: undefined };
  } catch (thrown) {
    return nothing(`${file} can't be used: ${endSentence(messageOf(thrown))} Move it away to start over.`);
  }
}

function parseStore(text: string): Records {
  const data: unknown = JSON.parse(text);
  if (!isRecord(data) || !isRecord(data["entries"])) throw new Error("it has no entries.");
  if (data["version"] !== format) throw new Error(`it has version ${String(data["version"])}; this is ${format}.`);
  const records = new Map<string, TrustRecord>();
  for (const [key, entry] of Object.entries(data["entries"])) {
    if (!isTrustRecord(entry) || keyOf(entry.kind, entry.path) !== key)
      throw new Error(`the entry "${key}" is damaged.`);
    records.set(key, entry);
  }
  return records;
}

function isTrustRecord(value: unknown): value is TrustRecord {
  if (!isRecord(value) || !isRecord(value["files"])) return false;
  const isKind = trustKinds.some((kind) => kind === value["kind"]);
  const areTexts = [value["path"], value["hash"], value["trustedAt"], ...Object.values(value["files"])];
  return isKind && areTexts.every((text) => typeof text === "string");
}

function keepBytes(folder: string, sha256: string, bytes: Uint8Array): void {
  const path = join(folder, sha256);
  if (!existsSync(path)) writeFileAtomically(path, bytes);
}

function readBytes(folder: string, sha256: string): string | undefined {
  if (!/^[\da-f]{64}$/.test(sha256)) return undefined;
  try {
    const bytes = readFileBytes(join(folder, sha256), maxStoreBytes);
    if (createSha256().update(bytes).digest("hex") !== sha256) return undefined;
    return decodeText(bytes);
  } catch (thrown) {
    // Used only to show what changed; without it the whole file is shown.
    if (!(thrown instanceof Refusal)) throw thrown;
    return undefined;
  }
}

async function withLock<T>(path: string, clock: Clock, work: () => T): Promise<T> {
  const until = clock.now() + lockPatienceMs;
  while (!createFileAtomically(path, String(process.pid))) {
    const held = lstatSync(path, { throwIfNoEntry: false });
    // The lock is held for milliseconds, so an old one belongs to a process that was killed.
    if (held !== undefined && clock.now() - held.mtimeMs > lockStaleMs) rmSync(path, { force: true });
    else if (clock.now() > until) throw invalid(`${path} is locked by another process. If none is running, remove it.`);
    else await clock.sleep(20);
  }
  try {
    return work();
  } finally {
    rmSync(path, { force: true });
  }
}

function invalid(problem: string): AtomicError {
  return new AtomicError("TRUST_STORE_INVALID", `Trust could not be recorded. ${problem}`);
}
