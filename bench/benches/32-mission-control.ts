// Mission control of a run of 100,000 events with 50 workers: from the record on disk to the first picture, to the whole
// past, and the slowest of many jumps through it.

import type { Figures, MeasureContext, Measured, Row } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const events = 100_000;

async function measure({ folder }: MeasureContext): Promise<Figures> {
  if (typeof Bun === "undefined") return {};
  const { watchLongRun } = await import("../harness/watch-long-run.ts");
  return watchLongRun(folder, events);
}

function rows(measured: Measured): readonly Row[] {
  const openNs = measured.median("atomic", "cpuNs");
  if (!Number.isFinite(openNs)) return [];
  return [
    atMost("Open a run of 100,000 events: CPU until it is shown", openNs, 1e9, duration),
    atMost("Scrub through it: CPU of the slowest of 200 jumps", measured.median("atomic", "scrubNs"), 50e6, duration),
    {
      work: "Read its whole past behind the screen: CPU",
      target: "",
      measured: duration(measured.median("atomic", "readNs")),
      isMet: undefined,
    },
  ];
}

export default defineBench({
  title: "Mission control of 100,000 events and 50 workers",
  part: "screens",
  unit: "picture",
  rounds: { full: 5, quick: 1 },
  subjects: { atomic: { measure } },
  rows,
});
