// Runs checks again that a run relied on, each on the tree that it was run on: checked out into a separate folder,
// prepared as the workers' were. The user's folder is not read.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Check, hasPassed, runCheck } from "../checks/check.ts";
import type { ProgramSandbox } from "../../agents/process/sandbox/program-sandbox.ts";
import type { Clock } from "../../lib/clock.ts";
import { removeAllTrees } from "./recover.ts";
import { openRepository, readRef, type RunRepository, type SetUp, type TreesPlan } from "./run-repository.ts";
import { ensureTree, nameTree, setTree } from "./work-tree.ts";

/** A check that passed, as it was recorded. */
export interface PassedCheck {
  readonly task: string | null;
  readonly command: string;
  /** Git's name of what it ran on; null where the workers shared the user's folder. */
  readonly tree: string | null;
}

export interface VerifiedEvidence extends PassedCheck {
  /** `gone`: the tree can't be checked out again. */
  readonly result: "holds" | "fails" | "gone";
  /** What it printed, when it fails. */
  readonly check?: Check | undefined;
}

export interface EvidencePlace {
  readonly plan: Omit<TreesPlan, "base">;
  /** The run's folder below the top of the repository. */
  readonly prefix: string;
  readonly sessionDir: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly setUp: SetUp | undefined;
  /** Absent: nothing holds the checks back. */
  readonly sandbox?: ProgramSandbox | undefined;
}

/** No task's name starts like that. */
const treeName = "_verify";

export async function* verifyEvidence(
  evidence: readonly PassedCheck[],
  place: EvidencePlace,
): AsyncGenerator<VerifiedEvidence> {
  const opened = await openRepository({ ...place.plan, base: "" }, place.setUp);
  const base = await readRef(opened, "base");
  const repository = { ...opened, base: base ?? "" };
  try {
    for (const each of evidence) yield await verifyOne(each, base === undefined ? undefined : repository, place);
  } finally {
    if (base !== undefined) await removeAllTrees(repository);
  }
}

async function verifyOne(
  evidence: PassedCheck,
  repository: RunRepository | undefined,
  { prefix, sessionDir, clock, signal, sandbox }: EvidencePlace,
): Promise<VerifiedEvidence> {
  const { tree, command } = evidence;
  if (repository === undefined || tree === null || !(await isTree(repository, tree)))
    return { ...evidence, result: "gone" };
  const workTree = await ensureTree(repository, treeName, { content: tree, head: repository.base });
  // What another check left in it is not part of this tree.
  await setTree(workTree, tree, repository.base);
  const cwd = join(workTree.folder, prefix);
  mkdirSync(cwd, { recursive: true });
  const place = { cwd, sessionDir, clock, signal, sandbox, nameTree: () => nameTree(workTree) };
  const check = await runCheck(command, place, tree);
  return hasPassed(check) ? { ...evidence, result: "holds" } : { ...evidence, result: "fails", check };
}

async function isTree({ git }: RunRepository, name: string): Promise<boolean> {
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(name)) return false;
  const { ok, stdout } = await git.run(["cat-file", "-t", name]);
  return ok && stdout.toString("utf8").trim() === "tree";
}
