// The four engines as subjects of one workload. Each module is imported inside its own child only.

import type { WorkEngine, Work } from "../engines/workload.ts";
import type { Scale, Subject } from "./bench.ts";
import { perUnit } from "./per-unit.ts";

interface Workload {
  readonly units: (scale: Scale) => number;
  readonly work: (engine: WorkEngine, units: number) => Work;
}

export function engineSubjects(workload: Workload): Record<"floor" | "atomic" | "langgraph" | "mastra", Subject> {
  const subject = (load: () => Promise<WorkEngine>, isSlow: boolean): Subject => ({
    isSlow,
    measure: async ({ scale }) => {
      const units = workload.units(scale);
      return perUnit(scale, units, workload.work(await load(), units));
    },
  });
  return {
    floor: subject(async () => (await import("../engines/floor.ts")).floor, false),
    atomic: subject(async () => (await import("../engines/atomic.ts")).atomic, false),
    langgraph: subject(async () => (await import("../engines/langgraph.ts")).langgraph, true),
    mastra: subject(async () => (await import("../engines/mastra.ts")).mastra, true),
  };
}
