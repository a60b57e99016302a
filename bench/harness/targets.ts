// Rows of the kinds that several benches have.

import type { Measured, Row } from "./bench.ts";
import { times } from "./text.ts";

const coldLimit = 8;
const warmLimit = 5;

/** Atomic's CPU per unit is at most `limit` times the floor's. */
export function overFloor(work: string, measured: Measured, limit: number): Row {
  const ratio = measured.ratio("atomic", "floor", "cpuNs");
  return atMost(`${work}: CPU, against the floor`, ratio, limit);
}

/** The same in the first 300 ms of a process, and once its code is compiled. */
export function overPlainLoop(work: string, measured: Measured): readonly Row[] {
  return [
    atMost(
      `${work}: CPU in the first 300 ms, against a plain loop`,
      measured.ratio("atomic", "floor", "coldCpuNs"),
      coldLimit,
    ),
    atMost(`${work}: CPU when warm, against a plain loop`, measured.ratio("atomic", "floor", "cpuNs"), warmLimit),
  ];
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
