// What a user may want to read of a run later, as Markdown in the `research/` folder of its session: the spec, the
// plan, each review, the report. Copies: nothing is read back from them.

import { join } from "node:path";
import { isSystemError, writeFileAtomically } from "../../lib/atomic-file.ts";
import { safeText } from "../../lib/safe-text.ts";
import { taskDetails } from "../../tasks/task-details.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import type { RalphState, ReviewRecord } from "./state.ts";

/** `text` has been masked already: it was on record, or comes from what was. */
export function keepArtifact({ sessionDir }: Pick<RalphState, "sessionDir">, name: string, text: string): void {
  try {
    writeFileAtomically(join(sessionDir, "research", name), `${safeText(text).trimEnd()}\n`);
  } catch (thrown) {
    // A full disk, or a removed folder: the work doesn't depend on these files.
    if (!isSystemError(thrown)) throw thrown;
  }
}

export function planText(tasks: readonly WorkflowTask[]): string {
  const parts = tasks.map((task) => {
    const { id, title, blockedBy = [], verify } = task;
    return [
      `## ${id}: ${title}`,
      ...taskDetails(task).map((detail) => `**${detail.title}**\n\n${detail.text}`),
      ...(blockedBy.length === 0 ? [] : [`After: ${blockedBy.join(", ")}`]),
      ...(verify === undefined ? [] : [`Check: \`${verify}\``]),
    ].join("\n\n");
  });
  return ["# Plan", ...parts].join("\n\n");
}

export function reviewText({ round, verdict, findings }: ReviewRecord): string {
  const parts = findings.map(({ priority, title, body, file }) =>
    [`## ${priority}: ${title}`, ...(file === undefined ? [] : [`In \`${file}\`.`]), body].join("\n\n"),
  );
  return [`# Review ${round}: ${verdict}`, ...(parts.length === 0 ? ["No findings."] : parts)].join("\n\n");
}
