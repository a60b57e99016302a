// The program itself, started as a user starts it: its version, its help and its list of runs against an empty Bun
// program, listings of a large project, whose time must follow the number of files, and what a shell waits for when a
// user presses Tab. Bun only: the program runs on nothing else.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figures, MeasureContext, Measured, Row, Scale } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { median } from "../harness/statistics.ts";
import { atMost } from "../harness/targets.ts";
import { duration, times } from "../harness/text.ts";

const listings = ["agents", "skills", "workflows", "commands"] as const;
const listingLimitNs = 150e6;
const completionLimitNs = 60e6;
/** What is typed before Tab is pressed. */
const completions = {
  completeCommand: { title: "atomic ses⇥", words: ["ses"] },
  completeOption: { title: "atomic run ralph --max⇥", words: ["run", "ralph", "--max"] },
  completeWorkflow: { title: "atomic run ⇥", words: ["run", ""] },
  completeRun: { title: "atomic resume ⇥", words: ["resume", ""] },
} as const;
const starts: Readonly<Record<Scale, number>> = { full: 15, quick: 5 };
const runs = 10;

/** `files`: half agents, half skills; and a tenth as many workflows. */
function writeProject(folder: string, files: number): string {
  const body = "Do a thing, and do it well.\n".repeat(20);
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (let i = 0; i < files / 2; i++) {
    const fields = `name: agent-${i}\ndescription: Agent number ${i}\ntools: Read, Grep, Bash\nmodel: sonnet`;
    write(`.claude/agents/agent-${i}.md`, `---\n${fields}\n---\n${body}`);
    write(`.claude/skills/skill-${i}/SKILL.md`, `---\ndescription: Skill number ${i}\n---\nSkill: $ARGUMENTS\n${body}`);
  }
  for (let i = 0; i < files / 10; i++) {
    const source = `import { graph, toolNode } from "atomic/workflows";
export const name = "flow-${i}";
export const description = "Flow number ${i}";
export const options = { depth: { type: "number", default: 3, description: "how deep" } };
export default () => graph().start(toolNode({ id: "a", execute: () => \`\${1 + 1}\` })).compile();
`;
    write(`.atomic/workflows/flow-${i}.ts`, source);
  }
  return folder;
}

/** Runs of ralph that have ended, each with one task, in the user's own sessions folder. */
async function recordRuns(home: string): Promise<void> {
  const { makeClient, runRalph, taskList } = await import("../harness/ralph-run.ts");
  const folder = join(home, ".atomic/workflows");
  mkdirSync(join(folder, "project/research"), { recursive: true });
  for (let i = 0; i < runs; i++) {
    writeFileSync(join(folder, "project/research/tasks.json"), taskList(1));
    const client = makeClient();
    const { status, message } = await runRalph({ folder, client, prompt: "", maxIterations: 0, options: {} });
    await client.close();
    if (status !== "completed") throw new Error(`the run ended as ${status}: ${message}`);
  }
}

interface Start {
  readonly cpuNs: number;
  readonly wallNs: number;
}

function start(command: readonly string[], cwd: string, home: string): Start {
  const began = performance.now();
  const child = Bun.spawnSync([...command], { cwd, env: { PATH: "/usr/bin:/bin", HOME: home }, stdin: "ignore" });
  const wallNs = (performance.now() - began) * 1e6;
  if (child.exitCode !== 0)
    throw new Error(`${command.join(" ")} ended with ${child.exitCode}: ${child.stderr.toString()}`);
  return { cpuNs: Number(child.resourceUsage.cpuTime.total) * 1e3, wallNs };
}

async function measure({ scale, folder }: MeasureContext): Promise<Figures> {
  if (typeof Bun === "undefined") return {};
  const root = join(import.meta.dir, "../..");
  const atomic = join(root, "bin/atomic");
  const installed = join(root, "bench/.build/package/bin/atomic");
  const home = join(folder, "home");
  mkdirSync(home);
  const used = join(folder, "used");
  await recordRuns(used);
  const large = writeProject(join(folder, "large"), 1000);
  const larger = writeProject(join(folder, "larger"), 2000);
  const ours = [`--config=${join(root, "bin/bunfig.toml")}`, `--tsconfig-override=${join(root, "bin/tsconfig.json")}`];
  const bun = [process.execPath, ...ours, "--no-env-file", "--no-macros", "--no-install"];
  const cases: Readonly<Record<string, () => Start>> = {
    empty: () => start([...bun, join(root, "bench/programs/empty.ts")], folder, home),
    version: () => start([atomic, "--version"], folder, home),
    help: () => start([installed, "--help"], folder, home),
    helpOfClone: () => start([atomic, "--help"], folder, home),
    sessions: () => start([installed, "sessions"], folder, used),
    sessionsOfClone: () => start([atomic, "sessions"], folder, used),
    none: () => start([atomic, "commands"], home, home),
    twice: () => start([atomic, "commands"], larger, home),
    ...Object.fromEntries(listings.map((name) => [name, () => start([atomic, name], large, home)])),
    ...Object.fromEntries(
      Object.entries(completions).map(([name, { words }]) => [
        name,
        () => start([installed, "__complete", ...words], large, used),
      ]),
    ),
  };
  const seen = new Map<string, Start[]>(Object.keys(cases).map((name) => [name, []]));
  for (let i = 0; i < starts[scale]; i++) for (const [name, run] of Object.entries(cases)) seen.get(name)?.push(run());
  const figures: Record<string, number> = {};
  for (const [name, runs] of seen) {
    figures[`${name}Cpu`] = median(runs.map((run) => run.cpuNs));
    // The minimum: other work on the machine only adds to it.
    figures[`${name}Wall`] = Math.min(...runs.map((run) => run.wallNs));
  }
  return figures;
}

function rows(measured: Measured): readonly Row[] {
  const figure = (name: string): number => measured.median("program", name);
  if (!Number.isFinite(figure("emptyCpu"))) return [];
  const growth = (figure("twiceCpu") - figure("noneCpu")) / (figure("commandsCpu") - figure("noneCpu"));
  return [
    atMost(
      "`atomic --version`: CPU, against an empty Bun program",
      measured.ratioWithin("program", "versionCpu", "emptyCpu"),
      2,
    ),
    ...[
      { title: "`atomic --help`", name: "help", limit: 4 },
      { title: `\`atomic sessions\` with ${runs} runs`, name: "sessions", limit: 8 },
    ].flatMap(({ title, name, limit }): Row[] => [
      atMost(
        `${title}: CPU, against an empty Bun program`,
        measured.ratioWithin("program", `${name}Cpu`, "emptyCpu"),
        limit,
      ),
      {
        work: `${title} from a clone, which compiles its sources at each start`,
        target: "",
        measured: times(measured.ratioWithin("program", `${name}OfCloneCpu`, "emptyCpu")),
        isMet: undefined,
      },
    ]),
    ...listings.map((name) =>
      atMost(
        `\`atomic ${name}\`, 1,000 agents and skills, 100 workflows: wall, best`,
        figure(`${name}Wall`),
        listingLimitNs,
        duration,
      ),
    ),
    ...Object.entries(completions).map(([name, { title }]) =>
      atMost(
        `Completion of \`${title}\`, ${runs} runs, 100 workflows: wall, best`,
        figure(`${name}Wall`),
        completionLimitNs,
        duration,
      ),
    ),
    atMost("`atomic commands` with twice as many files: CPU over an empty project", growth, 2.2),
  ];
}

export default defineBench({
  title: "Start the program and list a large project",
  part: "program",
  unit: "process",
  rounds: { full: 3, quick: 1 },
  subjects: { program: { measure } },
  rows,
});
