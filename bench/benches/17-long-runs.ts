// What a user waits for with runs of many events, and among many runs: showing, listing and resuming a run of 100,000
// events against one of 100, a list of 5,000 runs, and a start beside them. Bun only: the program runs on nothing else.

import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figures, MeasureContext, Measured, Row, Scale } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { median } from "../harness/statistics.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const times: Readonly<Record<Scale, number>> = { full: 9, quick: 3 };
const manyRuns: Readonly<Record<Scale, number>> = { full: 5_000, quick: 500 };
const fewRuns = 10;
const listLimitNs = 150e6;
/** A step is its start and its end. */
const sizes = { short: 50, long: 50_000 } as const;

/** This many steps, a question, and one more step. */
function workflow(name: string, steps: number): string {
  return `import { annotation, askUserNode, createNode, graph, Reducers } from "atomic/workflows";
export const name = "${name}";
export const description = "${steps} steps and a question";
export const prompt = "none";
const step = createNode({ id: "step", execute: () => ({ stateUpdate: { count: 1 } }) });
export default () => graph({ count: annotation(0, Reducers.sum) })
  .start(createNode({ id: "first", execute: () => ({}) }))
  .loop(step, { until: (state) => state.count >= ${steps}, maxIterations: 0 })
  .then(askUserNode({ id: "sure", question: "Sure?" }))
  .then(createNode({ id: "last", execute: () => ({}) }));
`;
}

interface Start {
  readonly cpuNs: number;
  readonly wallNs: number;
}

class Home {
  readonly dir: string;
  readonly #cwd: string;
  readonly #script: string;

  constructor(folder: string, name: string) {
    this.dir = join(folder, name);
    this.#cwd = join(this.dir, "project");
    this.#script = join(this.dir, "script.json");
    mkdirSync(join(this.dir, ".atomic/workflows"), { recursive: true });
    mkdirSync(this.#cwd);
    writeFileSync(this.#script, JSON.stringify({ version: 1, turns: [] }));
    for (const [size, steps] of Object.entries(sizes))
      writeFileSync(join(this.dir, ".atomic/workflows", `${size}.ts`), workflow(size, steps));
  }

  get sessions(): string {
    return join(this.dir, ".atomic/workflows/sessions");
  }

  ids(): readonly string[] {
    return readdirSync(this.sessions).filter((name) => !name.startsWith("."));
  }

  run(command: readonly string[], words: readonly string[], exitCode: number): Start {
    const began = performance.now();
    const env = { PATH: "/usr/bin:/bin", HOME: this.dir };
    const child = Bun.spawnSync([...command, ...words], { cwd: this.#cwd, env, stdin: "ignore" });
    const wallNs = (performance.now() - began) * 1e6;
    if (child.exitCode !== exitCode)
      throw new Error(`atomic ${words.join(" ")} ended with ${child.exitCode}: ${child.stderr.toString()}`);
    return { cpuNs: Number(child.resourceUsage.cpuTime.total) * 1e3, wallNs };
  }

  start(command: readonly string[], workflow: keyof typeof sizes): Start {
    const words = ["run", workflow, "-a", "scripted", "--script", this.#script, "--max-iterations", "0"];
    return this.run(command, words, 4);
  }
}

async function measure({ scale, folder }: MeasureContext): Promise<Figures> {
  if (typeof Bun === "undefined") return {};
  const { copySession } = await import("../../scripts/soak-kills/home.ts");
  const root = join(import.meta.dir, "../..");
  const atomic = [join(root, "bench/.build/package/bin/atomic")];
  const quick = [process.execPath, "--no-env-file", join(root, "bench/programs/quick-host.ts")];
  const figures: Record<string, number> = {};
  const homes = { short: new Home(folder, "short"), long: new Home(folder, "long") };
  for (const size of ["short", "long"] as const) homes[size].start(quick, size);
  const seen: Record<string, Start[]> = {};
  const note = (name: string, start: Start): void => void (seen[name] ??= []).push(start);
  for (let i = 0; i < times[scale]; i++) {
    for (const size of ["short", "long"] as const) {
      const home = homes[size];
      const [id = ""] = home.ids();
      // Each resume ends its run, so a copy is resumed; the copy is as cold as the run was.
      const copy = new Home(folder, `${size}-${i}`);
      cpSync(home.sessions, copy.sessions, { recursive: true });
      note(`${size}-resume`, copy.run(atomic, ["resume", id, "--answer", "Sure?=yes"], 0));
      note(`${size}-show`, home.run(atomic, ["sessions", "show", id], 0));
      note(`${size}-list`, home.run(atomic, ["sessions"], 0));
    }
  }
  const many = new Home(folder, "many");
  const few = new Home(folder, "few");
  for (const [home, copies] of [
    [many, manyRuns[scale]],
    [few, fewRuns],
  ] as const) {
    home.start(atomic, "short");
    copySession(home.sessions, home.ids()[0] ?? "", copies);
    // The first list reads every run; the results are cached.
    home.run(atomic, ["sessions", "--all"], 0);
  }
  for (let i = 0; i < times[scale]; i++) {
    note("many-list", many.run(atomic, ["sessions"], 0));
    note("few-start", few.start(atomic, "short"));
    note("many-start", many.start(atomic, "short"));
  }
  for (const [name, starts] of Object.entries(seen)) {
    figures[`${name}Cpu`] = median(starts.map(({ cpuNs }) => cpuNs));
    figures[`${name}Best`] = Math.min(...starts.map(({ wallNs }) => wallNs));
  }
  return figures;
}

function rows(measured: Measured): readonly Row[] {
  const of = (figure: string): number => measured.median("program", figure);
  if (!Number.isFinite(of("many-listBest"))) return [];
  const ratio = (name: string, work: string): readonly Row[] => [
    atMost(
      `${work}, 100,000 events against 100: CPU`,
      measured.ratioWithin("program", `long-${name}Cpu`, `short-${name}Cpu`),
      1.3,
    ),
    {
      work: "The same: CPU with 100 and with 100,000",
      target: "",
      measured: `${duration(of(`short-${name}Cpu`))}, ${duration(of(`long-${name}Cpu`))}`,
      isMet: undefined,
    },
  ];
  return [
    ...ratio("resume", "`atomic resume` to its end one step later"),
    ...ratio("show", "`atomic sessions show`"),
    ...ratio("list", "`atomic sessions`"),
    atMost("`atomic sessions` with 5,000 runs, listed before: wall, best", of("many-listBest"), listLimitNs, duration),
    atMost(
      "`atomic run` with 5,000 runs in the home, against 10: CPU",
      measured.ratioWithin("program", "many-startCpu", "few-startCpu"),
      1.2,
    ),
  ];
}

export default defineBench({
  title: "Long runs, and many",
  part: "program",
  unit: "process",
  rounds: { full: 1, quick: 1 },
  subjects: { program: { measure } },
  rows,
});
