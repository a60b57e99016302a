// Resuming a recorded run in a fresh process: from opening the store to the first new step. The time depends on what
// follows the last snapshot, not on the length of the run.

import { join } from "node:path";
import { SqliteSaver } from "../../src/public/sqlite.ts";
import { runRecordedLoop } from "../engines/recorded-loop.ts";
import type { Subject } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { runHelper } from "../harness/run-helper.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const stateBytes = 10_000;
const file = "runs.sqlite";

/** Never while it is recorded, so that everything follows the last snapshot. */
const never = Number.MAX_SAFE_INTEGER;

function resumeOf(steps: { full: number; quick: number }, snapshotEvery?: number): Subject {
  return {
    isSlow: true,
    measure: async (context) => {
      const store = new SqliteSaver({ path: join(context.folder, file), sync: "normal" });
      await runRecordedLoop({
        store,
        run: "resume",
        stateBytes,
        pauseAt: steps[context.scale],
        ...(snapshotEvery === undefined ? {} : { snapshotEvery }),
      });
      return runHelper("resume", context);
    },
  };
}

const resume: Subject = {
  isHelper: true,
  measure: async ({ folder }) => {
    const store = new SqliteSaver({ path: join(folder, file), sync: "normal" });
    const started = performance.now();
    const cpu = process.cpuUsage();
    let figures: Record<string, number> = {};
    await runRecordedLoop({
      store,
      run: "resume",
      resume: true,
      stateBytes,
      pauseAt: 0,
      onStep: () => {
        const used = process.cpuUsage(cpu);
        figures = { wallNs: (performance.now() - started) * 1e6, cpuNs: (used.user + used.system) * 1e3 };
      },
    });
    return figures;
  },
};

export default defineBench({
  title: "Resume of a recorded run",
  part: "engine",
  unit: "resume",
  rounds: { full: 7, quick: 1 },
  subjects: {
    "1k": resumeOf({ full: 1_000, quick: 1_000 }),
    "10k": resumeOf({ full: 10_000, quick: 10_000 }),
    "50k": resumeOf({ full: 50_000, quick: 20_000 }),
    tail1k: resumeOf({ full: 1_000, quick: 1_000 }, never),
    tail10k: resumeOf({ full: 10_000, quick: 10_000 }, never),
    resume,
  },
  rows: (measured) => [
    atMost("Resume of 10,000 recorded steps", measured.median("10k", "wallNs"), 300e6, duration),
    atMost("Resume of 50,000 steps, against 1,000", measured.ratio("50k", "1k", "wallNs"), 1.5),
    {
      work: "Resume of 1k / 10k / 50k steps, with snapshots",
      target: "",
      measured: ["1k", "10k", "50k"].map((size) => duration(measured.median(size, "wallNs"))).join(" / "),
      isMet: undefined,
    },
    {
      work: "Resume of 1k / 10k steps, no snapshot at all",
      target: "",
      measured: ["tail1k", "tail10k"].map((size) => duration(measured.median(size, "wallNs"))).join(" / "),
      isMet: undefined,
    },
  ],
});
