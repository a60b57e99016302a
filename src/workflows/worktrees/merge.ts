// Merging what a worker did into what has landed, without a checkout, and the landing itself: one compare-and-swap of
// the run's head.

import { must, readHead, type RunRepository, treeError } from "./run-repository.ts";
import { runRef } from "./run-refs.ts";

export interface Merged {
  /** With markers in it where there are conflicts. */
  readonly tree: string;
  /** Files in conflict. */
  readonly files: readonly string[];
  /** What git says about each conflict. */
  readonly messages: readonly string[];
}

/** The names of conflicting files may be anything; what is shown is text. */
export async function mergeTrees({ git }: Pick<RunRepository, "git">, head: string, commit: string): Promise<Merged> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--messages", head, commit];
  const { exitCode, stdout, stderr } = await git.run(args);
  if (exitCode !== 0 && exitCode !== 1) throw treeError(`git merge-tree: ${stderr || "failed"}.`);
  const fields = stdout.toString("utf8").split("\0");
  const [tree = ""] = fields;
  if (exitCode === 0) return { tree, files: [], messages: [] };
  const end = fields.indexOf("", 1);
  return { tree, files: [...new Set(fields.slice(1, end))], messages: conflictsIn(fields.slice(end + 1)) };
}

/** Records of `count, path…, kind, text`; those that only report a merged file are not conflicts. */
function conflictsIn(fields: readonly string[]): readonly string[] {
  const messages: string[] = [];
  for (let at = 0; at < fields.length && fields[at] !== "";) {
    const paths = Number(fields[at]);
    const [kind = "", text = ""] = fields.slice(at + 1 + paths, at + 3 + paths);
    if (kind.startsWith("CONFLICT")) messages.push(text.trim());
    at += paths + 3;
  }
  return messages;
}

/** `landed`: head is that commit now, or has it behind it already. `moved`: something else has landed meanwhile. */
export async function moveHead(
  repository: RunRepository,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<"landed" | "moved"> {
  const { git, run } = repository;
  const { ok, stderr } = await git.run(["update-ref", "--no-deref", runRef(run, "head"), to, from]);
  if (ok) return "landed";
  const head = await readHead(repository);
  const { exitCode } = await git.run(["merge-base", "--is-ancestor", to, head]);
  if (exitCode === 0) return "landed";
  if (head !== from) return "moved";
  throw treeError(`git update-ref: ${stderr || "failed"}.`);
}

/** Keeps a commit from being collected as garbage while nothing else refers to it. */
export async function keepCommit({ git, run }: RunRepository, commit: string, ...parts: readonly string[]) {
  await must(git, ["update-ref", "--no-deref", runRef(run, ...parts), commit]);
}
