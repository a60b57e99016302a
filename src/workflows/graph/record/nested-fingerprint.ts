// Which graph a subgraph is: never one of those around it, and the same one that was recorded there before.

import { AtomicError } from "../../../lib/errors.ts";
import type { CompiledGraph } from "../compile/compiled-graph.ts";
import { fingerprintOf } from "../compile/fingerprint.ts";
import { graphChanged } from "./graph-changes.ts";
import type { Recorder } from "./recorder.ts";

export interface NestedGraph {
  readonly graph: CompiledGraph<Record<string, unknown>>;
  readonly path: string;
  /** The name it was found by. */
  readonly name: string | undefined;
}

/** A workflow that is already running around this one must not run inside it. */
export function checkCycle(names: readonly string[], name: string | undefined): void {
  if (name === undefined || !names.includes(name)) return;
  const chain = [...names.slice(names.indexOf(name)), name].join(" -> ");
  throw new AtomicError("WORKFLOW_CYCLE", `Circular workflow dependency detected: ${chain}`);
}

/** Records which graph runs there, or compares it with the one on record. */
export function checkNestedFingerprint(recorder: Recorder, { graph, path, name }: NestedGraph): void {
  if (!recorder.isDurable) return;
  const fingerprint = fingerprintOf(graph);
  const recorded = recorder.fingerprintOf(path);
  const title = name ?? graph.config.name;
  if (recorded !== undefined && recorded !== fingerprint) throw graphChanged(title ?? path, []);
  if (recorded !== undefined) return;
  recorder.setFingerprint(path, fingerprint);
  recorder.emit({ type: "subgraph.started", key: path, workflow: title ?? null, fingerprint });
}
