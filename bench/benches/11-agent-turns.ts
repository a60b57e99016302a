// A turn through the port against the same turn through the vendor's SDK alone: what it costs the host, and how much
// later the first text comes. Real programs, a model on loopback. Bun only: the program runs on nothing else.

import type { Measured, MeasureContext, Figures, Row } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { duration, times } from "../harness/text.ts";
import { deltaCount } from "../agents/sizes.ts";

const titles = { claude: "Claude", opencode: "OpenCode", copilot: "Copilot" } as const;
type Kind = keyof typeof titles;

const subject = (kind: Kind) => ({
  async measure(context: MeasureContext): Promise<Figures> {
    if (typeof Bun === "undefined") return {};
    const { measurePairs } = await import("../agents/turn-pairs.ts");
    return measurePairs(kind, context);
  },
});

const mostRatio = 1.05;
const mostFirstNs = 10e6;
const mostPerDeltaNs = 2e3;

function rowsOf(kind: Kind, measured: Measured): readonly Row[] {
  const figure = (name: string): number => measured.median(kind, name);
  if (!Number.isFinite(figure("answerCpu"))) return [];
  const twice = (control: string): string => `the SDK a second time: ${control}`;
  const later = figure("answerFirst") >= figure("taskFirst") ? "answer" : "task";
  const first = figure(`${later}First`);
  return [
    {
      work: `${titles[kind]}, ten tools and 600 pieces of text: host CPU, against the SDK alone`,
      target: `at most ${times(mostRatio)}`,
      measured: `${times(figure("taskRatio"))} (${duration(figure("taskCpu"))}; ${twice(times(figure("taskControlRatio")))})`,
      isMet: figure("taskRatio") <= mostRatio,
    },
    {
      // Almost nothing is done in it, so that what a turn costs by being one is seen.
      work: `${titles[kind]}, an answer of one sentence: host CPU, above the SDK`,
      target: "",
      measured: `${signed(figure("answerCpu") - figure("answerCpuAlone"))} (SDK: ${duration(figure("answerCpuAlone"))})`,
      isMet: undefined,
    },
    {
      work: `${titles[kind]}: first text, against the SDK alone`,
      target: `at most ${duration(mostFirstNs)} later`,
      measured: `${signed(first)} (after ${duration(figure(`${later}FirstAlone`))}; ${twice(signed(figure(`${later}ControlFirst`)))})`,
      isMet: first <= mostFirstNs,
    },
    {
      work: `${titles[kind]}, 10,000 pieces of text: host CPU of each, above the SDK`,
      target: `at most ${duration(mostPerDeltaNs)}`,
      measured: `${signed(figure("floodPerDelta"))} (SDK: ${duration(figure("floodCpuAlone") / deltaCount)}; ${twice(signed(figure("floodControlPerDelta")))})`,
      isMet: figure("floodPerDelta") <= mostPerDeltaNs,
    },
  ];
}

function signed(ns: number): string {
  return ns < 0 ? `−${duration(-ns)}` : `+${duration(ns)}`;
}

export default defineBench({
  title: "A turn of an agent",
  part: "agents",
  unit: "turn",
  rounds: { full: 1, quick: 1 },
  needsAgents: true,
  subjects: { claude: subject("claude"), opencode: subject("opencode"), copilot: subject("copilot") },
  rows: (measured) => (Object.keys(titles) as Kind[]).flatMap((kind) => rowsOf(kind, measured)),
});
