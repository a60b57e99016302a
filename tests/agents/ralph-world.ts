// A world to run the real command line in, on a real agent program, with a model on loopback: one home, one model and
// one installation of the program for all cases of a suite, and a separate project for each.

import { afterAll, beforeAll } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import type { StoredEvent } from "../../src/journal/port.ts";
import { processesOf } from "../../src/testing/contracts/agent-harness.ts";
import { startModelServer, type ModelServer, type SeenRequest } from "../../src/testing/model-server/model-server.ts";
import type { AgentVocabulary } from "../../src/testing/model-server/vocabulary.ts";
import { SessionStore } from "../../src/workflows/sessions/session-store.ts";
import { createCliWorld, type CliWorld, type Live, type StartOptions } from "../cli/cli-world.ts";
import { chatScenarios } from "./chat-scenarios.ts";
import type { RalphProgram } from "./ralph-programs.ts";
import { promptOf, ralphScenarios, titles, type TaskName } from "./ralph-scenarios.ts";
import { createSnakeKit, type SnakeKit } from "./ralph-snake.ts";
import { isolationScenarios } from "./isolation-scenarios.ts";
import { limitScenarios } from "./limit-scenarios.ts";
import { sessionScenarios } from "./session-scenarios.ts";

/** Tasks by name, each after those it names. */
export type FeatureTasks = Partial<Record<TaskName, readonly TaskName[]>>;

export interface RalphCase {
  readonly name: string;
  readonly run: (world: RalphWorld) => Promise<void>;
}

/** How long a program may take until it does what a case waits for. */
export const startLimitMs = 90_000;

export interface RalphWorld extends Omit<CliWorld, "start" | "run" | "env" | "program"> {
  /** What `-a` takes. */
  readonly program: string;
  /** What the program calls its tools. */
  readonly words: AgentVocabulary;
  readonly kit: SnakeKit;
  /** The environment of atomic; complete only once the suite has started. */
  readonly env: () => Readonly<Record<string, string>>;
  /** An empty repository. */
  newProject(name: string): string;
  /** The same with these tasks in `research/feature-list.json`. */
  newFeatures(name: string, tasks: FeatureTasks): string;
  /** Writes a feature list in a project and returns its path. */
  writeFeatures(project: string, file: string, tasks: FeatureTasks): string;
  /** `atomic ralph … -a PROGRAM` in the project. */
  ralph(project: string, words: readonly string[], options?: StartOptions): Live;
  start(words: readonly string[], options?: StartOptions): Live;
  /** The requests to the model with this text in their prompts, from an index on. */
  asked(text: string, from?: number): readonly SeenRequest[];
  readonly requests: () => readonly SeenRequest[];
  /** The exit code of a command of the user's own. */
  inProject(project: string, command: string): number;
  /** What is on record of a run. */
  events(run: string, sessions?: string): Promise<readonly StoredEvent[]>;
  /** Live processes that this world started, directly or not. */
  processes(): readonly number[];
}

export function createRalphWorld(program: RalphProgram): RalphWorld {
  const cli = createCliWorld();
  const kit = createSnakeKit();
  let server: ModelServer | undefined;
  let env: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    server = await startModelServer({
      scenarios: {
        ...ralphScenarios(program.vocabulary, kit),
        ...limitScenarios(program.vocabulary),
        ...sessionScenarios,
        ...isolationScenarios(program.vocabulary),
        ...chatScenarios(program.vocabulary),
      },
      models: [...new Set([program.model, program.otherModel, "claude-opus-4-8"])],
    });
    // As if the programs had been installed globally: `npm install -g`.
    const npm = join(cli.root, "npm");
    for (const folder of [join(npm, "bin"), join(npm, "lib")]) mkdirSync(folder, { recursive: true });
    symlinkSync(join(import.meta.dirname, "node_modules"), join(npm, "lib/node_modules"));
    const home = (folder: string): string => join(cli.home, folder);
    env = {
      ...cli.env,
      PATH: [join(npm, "bin"), ...kit.path, cli.env["PATH"]].join(":"),
      XDG_CONFIG_HOME: home(".config"),
      XDG_CACHE_HOME: home(".cache"),
      XDG_DATA_HOME: home(".local/share"),
      XDG_STATE_HOME: home(".local/state"),
      CARGO_HOME: home(".cargo"),
      ATOMIC_MODEL: program.model,
      ...program.variables({ root: cli.root, modelUrl: server.url }),
    };
  });
  afterAll(() => server?.close());

  function newProject(name: string): string {
    const folder = join(cli.root, name);
    cli.write(`${name}/.gitignore`, "/target\n");
    const init = Bun.spawnSync(["git", "init", "-q"], { cwd: folder, env: { ...env } });
    if (init.exitCode !== 0) throw new Error(init.stderr.toString());
    return folder;
  }

  function writeFeatures(project: string, file: string, tasks: FeatureTasks): string {
    const features = Object.entries(tasks).map(([id, dependencies]) => ({
      id,
      name: titles[id as TaskName],
      description: `Part of a snake game in ${kit.language}. @@snake:${project}`,
      acceptanceCriteria: ["it works"],
      status: "pending",
      dependencies,
    }));
    return cli.write(join(relative(cli.root, project), file), { features });
  }

  function start(words: readonly string[], options: StartOptions = {}): Live {
    const live = cli.start(words, { ...options, env: { ...env, ...options.env } });
    return { ...live, seen: (text, limitMs = startLimitMs) => live.seen(text, limitMs) };
  }

  return {
    ...cli,
    program: program.kind,
    words: program.vocabulary,
    kit,
    env: () => env,
    newProject,
    writeFeatures,
    newFeatures(name, tasks) {
      const folder = newProject(name);
      writeFeatures(folder, "research/feature-list.json", tasks);
      return folder;
    },
    ralph: (project, words, options) => start(["ralph", ...words, "-a", program.kind], { ...options, cwd: project }),
    start,
    requests: () => server?.seen ?? [],
    asked: (text, from = 0) =>
      (server?.seen ?? [])
        .slice(from)
        .filter(
          ({ request, scenario }) =>
            scenario !== undefined && request !== undefined && promptOf(request).includes(text),
        ),
    inProject: (cwd, command) => Bun.spawnSync(["sh", "-c", command], { cwd, env: { ...env } }).exitCode,
    events: (run, dir = cli.sessions) => Array.fromAsync(new SessionStore({ dir }).read(run)),
    processes: () => [...new Set([...processesOf(cli.root), ...heirsOf(cli.root)])],
  };
}

export function startedId(stderr: string, workflow = "Ralph"): string {
  return new RegExp(`^Started ${workflow} session: (\\S+)$`, "m").exec(stderr)?.[1] ?? "";
}

/** Processes that have a home or a temporary folder of ours, wherever they work. */
function heirsOf(root: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/environ`))
    .map(Number)
    .filter((pid) => {
      try {
        const isDead = /^[ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "");
        return !isDead && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`=${root}/`);
      } catch {
        return false;
      }
    });
}
