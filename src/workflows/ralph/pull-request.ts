// The pull request at the end: created only if it was requested and the repository has a remote to push to. An agent
// makes it, with the built-in skill for that, never with a file of the same name in the project; nothing else of ours
// ever pushes. The work is done by then: a turn that fails pauses the run, and resuming it tries this part alone.

import { endSentence } from "../../lib/end-sentence.ts";
import type { AtomicError } from "../../lib/errors.ts";
import { expandArguments } from "../../lib/expand-arguments.ts";
import { turnFailed } from "../../nodes/agent-turn.ts";
import type { ExecutionContext, NodeResult } from "../graph/model/node.ts";
import { bridgeOf } from "../graph/nodes/subagent.ts";
import { pauseWith } from "../graph/model/pause-with.ts";
import { Git } from "../git/git.ts";
import { deliver } from "./delivery.ts";
import type { RalphState } from "./state.ts";
import { partContext } from "../../nodes/part-context.ts";

const maxTitles = 100;

export const maxTries = 3;

/** Temporary failures are retried; the rest needs a user: a login, permissions, a working remote. */
function notMade(failure: AtomicError, tries: number): Error {
  if (failure.retryable && tries < maxTries) return failure;
  const message = `The work is done, but the pull request was not made. ${endSentence(failure.message)} Fix that, and resume the run to try again`;
  return pauseWith("needs-human", { message });
}

/** The prompt for the skill. Workers commit nothing themselves. */
function requestText({ tasks, settings, prompt }: Readonly<RalphState>): string {
  const { prBase = null, prTitle = null } = settings;
  const titles = tasks.slice(0, maxTitles).map((task) => `- ${task.title}`);
  if (tasks.length > maxTitles) titles.push(`- and ${tasks.length - maxTitles} more`);
  return [
    ...(prTitle === null ? [] : [`Title: ${prTitle}`]),
    ...(prBase === null ? [] : [`Base branch: ${prBase}`]),
    "Commit what belongs to this work and is not committed yet, on a new branch if this one is the base.",
    `What was done:\n${titles.length === 0 ? prompt : titles.join("\n")}`,
  ].join("\n\n");
}

/** Null if there is none: a detached HEAD. */
async function currentBranch(cwd: string): Promise<string | null> {
  const found = await Git.atTop(cwd);
  if (found === undefined || "problem" in found) return null;
  const { ok, stdout } = await found.git.run(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  return ok ? stdout.toString("utf8").trim() : null;
}

export async function makePullRequest(context: ExecutionContext<RalphState>): Promise<NodeResult<RalphState>> {
  const delivery = (await deliver(context)) ?? context.state.delivery ?? null;
  if (delivery !== null && delivery.target !== "tree")
    return { stateUpdate: { delivery, pullRequest: `not made: the work is on the branch ${delivery.ref}` } };
  const found = await Git.atTop(context.state.cwd);
  const hasGit = found !== undefined && "git" in found;
  const remotes = hasGit ? (await found.git.run(["remote"])).stdout.toString("utf8").trim() : "";
  if (remotes === "")
    return { stateUpdate: { delivery, pullRequest: "not made: the folder is in no repository with a remote" } };
  const skill = context.runtime.entities?.skill("atomic:create-gh-pr");
  const task = expandArguments(
    skill?.prompt ?? "Push this branch and open a pull request.\n\n$ARGUMENTS",
    requestText(context.state),
  );
  const result = await bridgeOf(context).spawn(
    { task, context: partContext(context, "pull request"), isOnlyTurn: true },
    context.signal,
  );
  context.signal.throwIfAborted();
  if (!result.success) throw notMade(turnFailed(undefined, result), context.attempt.number);
  const url = /https?:\/\/\S+/.exec(result.output)?.[0];
  const branch = await currentBranch(context.state.cwd);
  context.record({ type: "pull-request.made", url: url ?? null, branch });
  return { stateUpdate: { delivery, pullRequest: url ?? result.output.slice(-500) } };
}
