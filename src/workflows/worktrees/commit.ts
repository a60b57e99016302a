// Commits that come out the same whenever they are made again from the same record: author, committer and times are
// given.

import type { Git } from "../git/git.ts";
import { must } from "./run-repository.ts";

export interface CommitFacts {
  readonly tree: string;
  /** Absent: it has none. */
  readonly parent?: string | undefined;
  readonly message: string;
  /** Milliseconds since the epoch, from the run's record. */
  readonly at: number;
}

export function commitTree(git: Git, { tree, parent, message, at }: CommitFacts): Promise<string> {
  const date = `@${Math.floor(at / 1000)} +0000`;
  const env = {
    GIT_AUTHOR_NAME: "Atomic",
    GIT_AUTHOR_EMAIL: "atomic@localhost",
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: "Atomic",
    GIT_COMMITTER_EMAIL: "atomic@localhost",
    GIT_COMMITTER_DATE: date,
  };
  return must(git, ["commit-tree", tree, ...(parent === undefined ? [] : ["-p", parent]), "-F", "-"], {
    env,
    input: message,
  });
}

/** `Add the parser`, and trailers that name the run and the task. */
export function landingMessage(run: string, task: { readonly id: string; readonly title: string }): string {
  return `${oneLine(task.title) || oneLine(task.id)}\n\nAtomic-Run: ${run}\nAtomic-Task: ${oneLine(task.id)}\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}
