// One workflow, as its file describes itself, with everything it consists of and whether it may run. Imports nothing.

import { AtomicError } from "../lib/errors.ts";
import { workflowRow, type WorkflowRow } from "./listings.ts";
import { findWorkflow } from "./workflow-loading.ts";
import type { Workspace } from "./workspace.ts";

export interface WorkflowStatus extends WorkflowRow {
  readonly trust: "builtin" | "own" | "trusted" | "new" | "changed" | "unusable";
  /** The file itself and all that it imports by path. */
  readonly files: readonly string[];
  /** Packages it takes from node_modules. */
  readonly packages: readonly string[];
  /** Places from which it may load code that only shows when it runs. */
  readonly computed: readonly string[];
  /** Why it is unusable. */
  readonly problem?: string;
}

export function workflowStatus(workspace: Pick<Workspace, "catalog" | "loader">, name: string): WorkflowStatus {
  const entry = findWorkflow(workspace.catalog, name);
  const row = workflowRow(entry);
  if (entry.file === undefined) return { ...row, trust: "builtin", files: [], packages: [], computed: [] };
  try {
    const { subject, decision } = workspace.loader.check("workflow", entry.file);
    const files = subject.files.map((file) => file.path);
    const trust = decision.isTrusted ? (decision.because === "own" ? "own" : "trusted") : decision.question.reason;
    const computed = subject.computed.map(({ path, line, what }) => `${path}:${line}: ${what}`);
    return { ...row, trust, files, packages: subject.packages, computed };
  } catch (thrown) {
    if (!AtomicError.is(thrown, "WORKFLOW_FILE_INVALID")) throw thrown;
    return { ...row, trust: "unusable", files: [entry.file.path], packages: [], computed: [], problem: thrown.message };
  }
}
