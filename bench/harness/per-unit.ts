// Times work inside a child: CPU (all threads of the process, so that the collector's and the compiler's count) and
// wall, per unit of work; cold, which is the first 300 ms of work in the process, and warm. Warm-up is fixed; a sample
// repeats the work until it is long enough to be timed. Both are measured in CPU time: on a busy machine a process would
// otherwise be timed before its code is compiled.

import type { Figures, Scale } from "./bench.ts";
import { median } from "./statistics.ts";

interface Timing {
  readonly warmUpMs: number;
  readonly sampleMs: number;
  readonly samples: number;
}

const timings: Readonly<Record<Scale, Timing>> = {
  full: { warmUpMs: 2000, sampleMs: 80, samples: 7 },
  quick: { warmUpMs: 300, sampleMs: 50, samples: 3 },
};

/** What a short-lived program pays: nothing is compiled yet when it begins. */
const coldMs = 300;

/** Runs `work`, which does `units` units, until it is warm, and then times it. */
export async function perUnit(scale: Scale, units: number, work: () => unknown): Promise<Figures> {
  const { warmUpMs, sampleMs, samples } = timings[scale];
  const { passMs, coldPassMs } = await warmUp(warmUpMs, work);
  const repeats = Math.max(1, Math.ceil(sampleMs / passMs));
  const cpu: number[] = [];
  const wall: number[] = [];
  // One pass that is longer than all samples together would be is sample enough.
  const count = passMs > sampleMs * samples ? 1 : samples;
  for (let sample = 0; sample < count; sample++) {
    const cpuStarted = cpuMs();
    const wallStarted = performance.now();
    for (let i = 0; i < repeats; i++) await work();
    cpu.push(((cpuMs() - cpuStarted) * 1e6) / (repeats * units));
    wall.push(((performance.now() - wallStarted) * 1e6) / (repeats * units));
  }
  return { cpuNs: median(cpu), wallNs: median(wall), coldCpuNs: (coldPassMs * 1e6) / units };
}

interface WarmUp {
  /** The CPU time of one pass, as the warm ones took it. */
  readonly passMs: number;
  /** The same as the first ones took it. */
  readonly coldPassMs: number;
}

async function warmUp(forMs: number, work: () => unknown): Promise<WarmUp> {
  const started = cpuMs();
  const passes: number[] = [];
  let coldPassMs = 0;
  for (let spent = 0; spent < forMs || passes.length === 0;) {
    await work();
    const now = cpuMs() - started;
    passes.push(now - spent);
    if (spent < coldMs) coldPassMs = now / passes.length;
    spent = now;
  }
  return { passMs: median(passes.slice(passes.length >> 1)), coldPassMs };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}
