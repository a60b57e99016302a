// Times work inside a child: CPU (all threads of the process, so that the collector's and the compiler's count) and
// wall, per unit of work. Warm-up is fixed; a sample repeats the work until it is long enough to be timed.

import type { Figures, Scale } from "./bench.ts";
import { median } from "./statistics.ts";

interface Timing {
  readonly warmUpMs: number;
  readonly sampleMs: number;
  readonly samples: number;
}

const timings: Readonly<Record<Scale, Timing>> = {
  full: { warmUpMs: 400, sampleMs: 100, samples: 7 },
  quick: { warmUpMs: 200, sampleMs: 50, samples: 3 },
};

/** Runs `work`, which does `units` units, until it is warm, and then times it. */
export async function perUnit(scale: Scale, units: number, work: () => unknown): Promise<Figures> {
  const { warmUpMs, sampleMs, samples } = timings[scale];
  const lastMs = await warmUp(warmUpMs, work);
  const repeats = Math.max(1, Math.ceil(sampleMs / lastMs));
  const cpu: number[] = [];
  const wall: number[] = [];
  // One pass that is longer than all samples together would be is sample enough.
  const count = lastMs > sampleMs * samples ? 1 : samples;
  for (let sample = 0; sample < count; sample++) {
    const before = process.cpuUsage();
    const started = performance.now();
    for (let i = 0; i < repeats; i++) await work();
    const wallMs = performance.now() - started;
    const used = process.cpuUsage(before);
    cpu.push(((used.user + used.system) * 1e3) / (repeats * units));
    wall.push((wallMs * 1e6) / (repeats * units));
  }
  return { cpuNs: median(cpu), wallNs: median(wall) };
}

/** The time of the last pass, in ms. */
async function warmUp(forMs: number, work: () => unknown): Promise<number> {
  const started = performance.now();
  for (;;) {
    const passStarted = performance.now();
    await work();
    const now = performance.now();
    if (now - started >= forMs) return now - passStarted;
  }
}
