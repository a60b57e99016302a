// The definition of a bench. One file in benches/ is one bench: it defines what is measured, each subject in a separate
// process, and turns the figures into rows with a target. The harness finds the file, repeats it, and writes the table.

export type Scale = "full" | "quick";

/** Numbers by name, as one process reports them. `cpuNs` and `wallNs` are per unit of work. */
export type Figures = Readonly<Record<string, number>>;

export interface MeasureContext {
  readonly scale: Scale;
  /** An empty folder on a real disk, removed afterwards. */
  readonly folder: string;
}

export interface Subject {
  /** Runs in the child. Engines are imported in here, so that no other process pays for them. */
  readonly measure: (context: MeasureContext) => Promise<Figures>;
  /** Slow ones take part only in the first rounds. */
  readonly isSlow?: boolean;
  /** It needs this runtime. */
  readonly onlyOn?: RuntimeName;
  /** Not measured by itself: another subject starts it in a separate process (run-helper.ts). */
  readonly isHelper?: boolean;
}

/** A program that is only started and timed from outside: `cpuNs` and `wallNs` are those of the whole process. */
export interface Program {
  /** A file, by runtime, relative to bench/; undefined if there is none. */
  readonly program: Readonly<Record<RuntimeName, string | undefined>>;
}

export type RuntimeName = "bun" | "node";

export interface Row {
  readonly work: string;
  readonly target: string;
  readonly measured: string;
  /** Undefined: shown for comparison, without a target. */
  readonly isMet: boolean | undefined;
}

/** What is measured and written in one go: all of it takes forty minutes, and a machine is rarely quiet for so long. */
export const parts = ["engine", "growth", "agents", "program", "isolation", "screens"] as const;
export type Part = (typeof parts)[number];

export interface Bench {
  readonly title: string;
  readonly part: Part;
  /** What `cpuNs` and `wallNs` are per; default step. */
  readonly unit?: string;
  readonly rounds: Readonly<Record<Scale, number>>;
  /** It runs the real agents: they are installed first. */
  readonly needsAgents?: boolean;
  /** It starts the PostgreSQL of tests/postgres: that is installed first. */
  readonly needsPostgres?: boolean;
  readonly subjects: Readonly<Record<string, Subject | Program>>;
  rows(measured: Measured): readonly Row[];
}

/** The figures of all rounds of one bench on one runtime. */
export interface Measured {
  /** The median of a figure over the rounds. */
  median(subject: string, figure: string): number;
  /** The median over the rounds of one subject's figure divided by another's, both of the same round. */
  ratio(subject: string, by: string, figure: string): number;
  /** As `ratio`, for two figures that were measured side by side in one process. */
  ratioWithin(subject: string, figure: string, by: string): number;
  has(subject: string): boolean;
}

export function defineBench(bench: Bench): Bench {
  return bench;
}
