// Rows of the kinds that several benches have.

import type { Measured, Row } from "./bench.ts";
import { times } from "./text.ts";

/** Atomic's CPU per unit is at most `limit` times the floor's. */
export function overFloor(work: string, measured: Measured, limit: number): Row {
  const ratio = measured.ratio("atomic", "floor", "cpuNs");
  return atMost(`${work}: CPU, against the floor`, ratio, limit);
}

/** LangGraph.js needs at least `least` times as much CPU as Atomic. */
export function underLangGraph(work: string, measured: Measured, least: number): Row {
  const ratio = measured.ratio("langgraph", "atomic", "cpuNs");
  return {
    work: `${work}: CPU, LangGraph.js against Atomic`,
    target: `at least ${times(least)}`,
    measured: times(ratio),
    isMet: ratio >= least,
  };
}

export function atMost(work: string, ratio: number, limit: number, format: (value: number) => string = times): Row {
  return { work, target: `at most ${format(limit)}`, measured: format(ratio), isMet: ratio <= limit };
}
