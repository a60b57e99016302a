// A turn through the port against the same turn through the vendor's SDK alone: what it costs the host, and how much
// later the first text comes. Real programs, a model on loopback. Bun only: the program runs on nothing else.

import type { Measured, MeasureContext, Figures, Row } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { duration, times } from "../harness/text.ts";
import { deltaCount, type Size } from "../agents/sizes.ts";

const titles = { claude: "Claude", opencode: "OpenCode", copilot: "Copilot" } as const;
type Kind = keyof typeof titles;

const subject = (kind: Kind) => ({
  async measure(context: MeasureContext): Promise<Figures> {
    if (typeof Bun === "undefined") return {};
    const { measurePairs } = await import("../agents/turn-pairs.ts");
    return measurePairs(kind, context);
  },
});

const maxRatio = 1.05;
const maxFirstNs = 10e6;
const maxPerDeltaNs = 2e3;

function rowsOf(kind: Kind, measured: Measured): readonly Row[] {
  const figure = (name: string): number => measured.median(kind, name);
  if (!Number.isFinite(figure("answerCpu"))) return [];
  const twice = (control: string): string => `the SDK a second time: ${control}`;
  const ratio = (size: Size): Omit<Row, "work"> => ({
    target: `at most ${times(maxRatio)}`,
    measured: `${times(figure(`${size}Ratio`))} (${duration(figure(`${size}Cpu`))}; ${twice(times(figure(`${size}ControlRatio`)))})`,
    isMet: figure(`${size}Ratio`) <= maxRatio,
  });
  return [
    {
      work: `${titles[kind]}, ten tools and 600 pieces of text, one after the other: host CPU, against the SDK alone`,
      ...ratio("task"),
    },
    // No model writes like this. It shows the cost of the port when the host is rarely woken.
    { work: `${titles[kind]}, the same with the text of each step at once`, ...ratio("burst") },
    {
      // Almost nothing is done in it, so it shows the fixed cost of a turn.
      work: `${titles[kind]}, an answer of one sentence: host CPU, above the SDK`,
      target: "",
      measured: `${signed(figure("answerCpu") - figure("answerCpuAlone"))} (SDK: ${duration(figure("answerCpuAlone"))})`,
      isMet: undefined,
    },
    {
      work: `${titles[kind]}: first text, against the SDK alone`,
      target: `at most ${duration(maxFirstNs)} later`,
      measured: `${signed(figure("answerFirst"))} (after ${duration(figure("answerFirstAlone"))}; ${twice(signed(figure("answerControlFirst")))})`,
      isMet: figure("answerFirst") <= maxFirstNs,
    },
    {
      work: `${titles[kind]}, 10,000 pieces of text at once: host CPU of each, above the SDK`,
      target: `at most ${duration(maxPerDeltaNs)}`,
      measured: `${signed(figure("floodPerDelta"))} (SDK: ${duration(figure("floodCpuAlone") / deltaCount)}; ${twice(signed(figure("floodControlPerDelta")))})`,
      isMet: figure("floodPerDelta") <= maxPerDeltaNs,
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
