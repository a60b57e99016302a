// What a sandbox adds to the start of a program: from the call to the program's first word, without a sandbox, in bare
// bubblewrap with a read-only root, and in our two modes; and what planning it takes of that. They take turns, so all of
// them see the same machine. The sandbox is started once for each agent program, not for each of its commands.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Figures, MeasureContext, Measured, Row } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { median } from "../harness/statistics.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const starts = { full: 60, quick: 15 } as const;
const path = "/usr/local/bin:/usr/bin:/bin";

async function measure({ scale, folder }: MeasureContext): Promise<Figures> {
  const { checkSandbox } = await import("../../src/agents/process/sandbox/check-sandbox.ts");
  const environment = { PATH: path, HOME: join(folder, "home") };
  const project = join(folder, "project");
  for (const each of [environment.HOME, project]) mkdirSync(each);
  const check = await checkSandbox("strict", { environment, cwd: project });
  if (check.tool?.name !== "bubblewrap") return {};
  const { createSandbox } = await import("../../src/agents/process/sandbox/create-sandbox.ts");
  const { inSandbox } = await import("../../src/agents/process/sandbox/in-sandbox.ts");
  const { spawnProgram } = await import("../../src/agents/process/spawn-program.ts");
  const { createProcessRegistry } = await import("../../src/agents/process/process-registry.ts");
  const { systemClock } = await import("../../src/lib/clock.ts");
  Bun.spawnSync(["git", "init", "-q"], { cwd: project, env: environment });
  const place = { environment, cwd: project, treesDir: join(folder, "trees"), records: [], write: ["auto"], hosts: [] };
  const sandboxes = {
    plain: undefined,
    worktree: await createSandbox({ ...place, mode: "worktree" }),
    strict: await createSandbox({ ...place, mode: "strict" }),
  };
  const registry = createProcessRegistry(join(folder, "processes"));
  const options = { cwd: project, env: environment, name: "echo", registry, clock: systemClock };
  const words = { file: "/bin/echo", args: ["x"] };
  const bare = {
    file: check.tool.path,
    args: ["--die-with-parent", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", words.file, ...words.args],
  };
  const taken: Record<string, number[]> = {};
  const note = (name: string, started: number): void => void (taken[name] ??= []).push(performance.now() - started);
  for (let i = 0; i < starts[scale]; i++) {
    for (const [name, command, sandbox] of [
      ["plain", words, sandboxes.plain],
      ["bare", bare, undefined],
      ["worktree", words, sandboxes.worktree],
      ["strict", words, sandboxes.strict],
    ] as const) {
      const started = performance.now();
      const start = await inSandbox(sandbox, { ...options, ...command }, project, () => ({ state: [], hosts: [] }));
      note(`${name}Plan`, started);
      const program = await spawnProgram(start);
      await new Promise((resolve) => program.stdout.once("data", resolve));
      note(name, started);
      await program.exited;
    }
  }
  for (const sandbox of [sandboxes.worktree, sandboxes.strict]) await sandbox.close();
  const nanoseconds = (ms: number): number => ms * 1e6;
  return Object.fromEntries(
    Object.entries(taken).flatMap(([name, all]) => [
      [`${name}Ns`, nanoseconds(median(all))],
      [`${name}BestNs`, nanoseconds(Math.min(...all))],
    ]),
  );
}

function rows(measured: Measured): readonly Row[] {
  const figure = (name: string): number => measured.median("atomic", name);
  if (!Number.isFinite(figure("plainNs"))) return [];
  const above = (name: string, best = ""): number => figure(`${name}${best}Ns`) - figure(`plain${best}Ns`);
  const both = (name: string): string => `${duration(above(name, "Best"))}, ${duration(above(name))}`;
  return [
    { work: "A program's first word without a sandbox: wall, best", target: "", ...shown(figure("plainBestNs")) },
    atMost("The same in `--sandbox worktree`: wall, best, above that", above("worktree", "Best"), 8e6, duration),
    atMost("The same in `--sandbox strict`: wall, best, above that", above("strict", "Best"), 60e6, duration),
    {
      ...{ work: "The same: best and median, in bare bubblewrap, `worktree`, `strict`", target: "" },
      ...{ measured: ["bare", "worktree", "strict"].map(both).join("; "), isMet: undefined },
    },
    { work: "Planning it: wall, best, in `worktree` and `strict`", target: "", ...planning() },
  ];

  function planning(): Pick<Row, "measured" | "isMet"> {
    const all = ["worktree", "strict"].map((name) => duration(figure(`${name}PlanBestNs`)));
    return { measured: all.join(", "), isMet: undefined };
  }
}

function shown(value: number): Pick<Row, "measured" | "isMet"> {
  return { measured: duration(value), isMet: undefined };
}

export default defineBench({
  title: "Starting a program in a sandbox",
  part: "isolation",
  unit: "start",
  rounds: { full: 3, quick: 1 },
  subjects: { atomic: { onlyOn: "bun", measure } },
  rows,
});
