// What keeping a transcript takes of the host's CPU, in a turn of ten tools and 600 pieces of text. A real program, a
// model on loopback. Bun only: the program runs on nothing else.

import { join } from "node:path";
import type { Figures, MeasureContext } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { median } from "../harness/statistics.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const turns = { full: { warmUp: 5, counted: 15 }, quick: { warmUp: 1, counted: 3 } } as const;

async function measure({ scale, folder }: MeasureContext): Promise<Figures> {
  const { startSide } = await import("../agents/turn-pairs.ts");
  const side = startSide("claude", "transcript", join(folder, "transcript"));
  const shares: number[] = [];
  const costs: number[] = [];
  try {
    for (let i = 0; i < turns[scale].warmUp + turns[scale].counted; i++) {
      const { cpuNs, keptNs } = await side.turn("task");
      if (i < turns[scale].warmUp) continue;
      shares.push(keptNs / cpuNs);
      costs.push(keptNs);
    }
  } finally {
    await side.close();
  }
  return { share: median(shares), keptNs: median(costs) };
}

export default defineBench({
  title: "The transcript of a turn",
  part: "agents",
  unit: "turn",
  rounds: { full: 1, quick: 1 },
  needsAgents: true,
  subjects: { claude: { onlyOn: "bun", measure } },
  rows: (measured) =>
    measured.has("claude")
      ? [
          atMost(
            "Claude, ten tools and 600 pieces of text: share of the host's CPU that keeps the transcript",
            measured.median("claude", "share"),
            0.03,
            (share) => `${(share * 100).toFixed(1)} %`,
          ),
          {
            work: "The same: what keeping it takes",
            target: "",
            measured: duration(measured.median("claude", "keptNs")),
            isMet: undefined,
          },
        ]
      : [],
});
