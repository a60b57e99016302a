// A workflow file that a user named by its path: listed like one that was found, from its text alone.

import { realpathSync } from "node:fs";
import { Refusal } from "../catalog/diagnostics.ts";
import type { WorkflowFileEntry } from "../catalog/load/module-loader.ts";
import { createModuleReader } from "../catalog/modules/read-module.ts";
import { describeWorkflow } from "../catalog/modules/workflow-file.ts";
import { AtomicError, messageOf } from "../lib/errors.ts";

/** Throws WORKFLOW_FILE_INVALID. Runs nothing. */
export function workflowFileEntry(path: string): WorkflowFileEntry {
  try {
    const realPath = realpathSync(path);
    const described = describeWorkflow(path, createModuleReader().read(realPath).scan());
    if (described === undefined) throw new Refusal("field-type", "It exports no workflow.");
    return { info: described.info, source: "local", file: { path, realPath, isOwn: false } };
  } catch (cause) {
    throw new AtomicError("WORKFLOW_FILE_INVALID", `${path} can't be used: ${messageOf(cause)}`, {
      cause,
      details: { file: path },
    });
  }
}
