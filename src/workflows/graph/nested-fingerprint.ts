// A subgraph that was recorded must still be the one that runs there now: by name it may be another than before.

import type { CompiledGraph } from "./compiled-graph.ts";
import { fingerprintOf, graphChanged } from "./fingerprint.ts";
import type { Recorder } from "./recorder.ts";

export interface NestedGraph {
  readonly graph: CompiledGraph<Record<string, unknown>>;
  readonly path: string;
  /** The name it was found by. */
  readonly name: string | undefined;
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
