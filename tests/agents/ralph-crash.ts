// The crash matrix over ralph on a real agent program: the process is killed for real right before or right after one
// of its writes, `atomic resume` continues, and the end is compared with that of an undisturbed run. The model counts:
// a turn that is on record is not asked for again, and one that was begun continues in its own session.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../src/lib/json.ts";
import { eventually } from "../../src/testing/contracts/agent-harness.ts";
import type { SeenRequest } from "../../src/testing/model-server/model-server.ts";
import { keyPart } from "../../src/workflows/graph/model/key.ts";
import { isSessionId } from "../../src/workflows/sessions/session-folder.ts";
import { readView } from "../../src/workflows/sessions/session-view.ts";
import type { Kill } from "../durability/matrix/killing-store.ts";
import { poll } from "../cli/cli-world.ts";
import { saysInterrupted, promptOf, titles, type TaskName } from "./ralph-scenarios.ts";
import { startLimitMs, type FeatureTasks, type RalphWorld } from "./ralph-world.ts";

export interface CrashEnd {
  /** What must be the same with and without a kill. */
  readonly same: {
    readonly outcome: unknown;
    readonly files: Readonly<Record<string, string>>;
    readonly tasks: Readonly<Record<string, string>>;
    readonly report: Json;
    /** The steps on record, each once. */
    readonly steps: readonly string[];
  };
  readonly writes: number;
  /** Grouped events are not always stored in as many writes: a late kill may find no process. */
  readonly isKilled: boolean;
  /** Turns that were begun before the kill and continued after it in their own session. */
  readonly continued: number;
}

/** Two tasks, of which the first fails its check once, and a review: four turns. */
const tasks: FeatureTasks = { rules: [], terminal: ["rules"] };

const host = join(import.meta.dirname, "../ralph/matrix/host.ts");

/** At a write, or while the program works on what the model answered. */
export type CrashKill = Kill | { readonly during: TaskName };

/** Runs it, killed or not, to its end. Each in the same place, one after the other. */
export async function crashCell(world: RalphWorld, kill: CrashKill | undefined): Promise<CrashEnd> {
  const project = world.newFeatures("cell", tasks);
  const sessions = join(world.root, "cell-sessions");
  try {
    return await new CrashCell(world, project, sessions).run(kill);
  } finally {
    for (const folder of [project, sessions]) rmSync(folder, { recursive: true, force: true });
  }
}

/** A run may have ended before a kill at one of its last writes, but not before an earlier one. */
export function isLate(kill: Kill, writes: number): boolean {
  return kill.write >= writes - 1;
}

/**
 * Right before and right after every write but the last, which releases the run: after it there is no process to kill.
 */
export function everyKill(writes: number): readonly Kill[] {
  return Array.from({ length: writes - 1 }, (_, i) => [
    { write: i + 1, when: "before" as const },
    { write: i + 1, when: "after" as const },
  ]).flat();
}

class CrashCell {
  readonly #world: RalphWorld;
  readonly #project: string;
  readonly #sessions: string;
  readonly #env: Readonly<Record<string, string>>;
  /** What the model was asked before. */
  readonly #askedBefore: number;

  constructor(world: RalphWorld, project: string, sessions: string) {
    this.#world = world;
    this.#project = project;
    this.#sessions = sessions;
    this.#env = { ATOMIC_SESSIONS_DIR: sessions };
    this.#askedBefore = world.requests().length;
  }

  async run(kill: CrashKill | undefined): Promise<CrashEnd> {
    const world = this.#world;
    const { writes, isKilled } = await this.#begin(kill);
    const id = this.#id();
    const steps = id === undefined ? [] : await this.#steps(id);
    const killedAt = world.requests().length;
    // Killed before its start was on record: nothing has run, and there is nothing to resume.
    if (kill !== undefined && steps.length === 0 && (id === undefined || (await this.#isEmpty(id)))) {
      assert.deepEqual(
        world.asked(this.#project, this.#askedBefore),
        [],
        "something ran before the start was recorded",
      );
      rmSync(this.#sessions, { recursive: true, force: true });
      return { ...(await this.run(undefined)), writes, isKilled };
    }
    if (kill !== undefined) {
      const resumed = await world.start(["resume", id ?? ""], { cwd: this.#project, env: this.#env }).ended;
      // One that was killed after its last record is over; the program says only that.
      assert.equal(resumed.exitCode, 0, resumed.stderr);
    }
    const continued = this.#checkTurns(steps, killedAt);
    await eventually("no process of a killed run is left", () => world.processes().length === 0);
    return { same: await this.#outcome(id ?? ""), writes, isKilled, continued };
  }

  /** The first process, which kills itself or is killed. */
  async #begin(kill: CrashKill | undefined): Promise<Pick<CrashEnd, "writes" | "isKilled">> {
    const { kit, program } = this.#world;
    const writes = join(this.#world.root, "writes");
    rmSync(writes, { force: true });
    const goal = `Build a snake game in ${kit.language}. @@snake:${this.#project}`;
    const words = ["--feature-list", "research/feature-list.json", "--verify", kit.testCommand, "-a", program];
    const child = Bun.spawn([process.execPath, "--no-env-file", host, "ralph", goal, ...words], {
      cwd: this.#project,
      env: {
        ...this.#world.env(),
        ...this.#env,
        MATRIX_WRITES: writes,
        ...(kill !== undefined && "write" in kill && { MATRIX_KILL: JSON.stringify(kill) }),
      },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    if (kill !== undefined && "during" in kill) {
      const isAtWork = (): boolean =>
        this.#world
          .asked(`no other: ${titles[kill.during]}\n`, this.#askedBefore)
          .some(({ step }) => step !== undefined && step > 0);
      await poll(() => (isAtWork() || child.exitCode !== null ? true : undefined), startLimitMs);
      child.kill("SIGKILL");
    }
    const [stderr] = await Promise.all([child.stderr.text(), child.exited]);
    const isKilled = child.signalCode === "SIGKILL";
    assert.ok(kill === undefined ? child.exitCode === 0 : isKilled || child.exitCode === 0, stderr);
    return { writes: existsSync(writes) ? Number(readFileSync(writes, "utf8")) : 0, isKilled };
  }

  /** What the model was asked since, against what was on record then. Returns how many turns continued. */
  #checkTurns(recorded: readonly string[], killedAt: number): number {
    const world = this.#world;
    const since = world.asked(this.#project, killedAt);
    const before = world.asked(this.#project, this.#askedBefore).slice(0, -since.length || undefined);
    const after = since.filter(({ step }) => step === 0);
    const again = after.map(stepOf).filter((step) => recorded.includes(keyPart(step)));
    assert.deepEqual(again, [], "these turns were asked for again although they were on record");
    // The program had got an answer and worked on it: its session can be continued.
    const begun = new Set(before.filter(({ step }) => step !== 0).map(stepOf));
    const going = after.filter((seen) => begun.has(stepOf(seen)));
    for (const seen of going) {
      const prompts = seen.request?.messages.filter(({ role, text }) => role === "user" && text.includes("@@")) ?? [];
      assert.ok(saysInterrupted(promptOf(seen.request)), `${stepOf(seen)} says that it was interrupted`);
      assert.equal(prompts.length, 2, `${stepOf(seen)} continues in its own session`);
    }
    return going.length;
  }

  async #outcome(id: string): Promise<CrashEnd["same"]> {
    const events = await this.#world.events(id, this.#sessions);
    const view = await readView(id, events);
    const steps = await this.#steps(id);
    assert.deepEqual(steps, [...new Set(steps)], "no step is recorded twice");
    assert.equal(this.#world.inProject(this.#project, this.#world.kit.playCommand), 0, "the game can be played");
    return {
      outcome: events.at(-1)?.["outcome"],
      files: filesIn(this.#project),
      tasks: Object.fromEntries([...view.tasks.values()].map((task) => [task.id, task.status])),
      report: comparable(view.report ?? null, id),
      steps: steps.toSorted(),
    };
  }

  /** The names of the steps on record. */
  async #steps(id: string): Promise<readonly string[]> {
    if (await this.#isEmpty(id)) return [];
    return (await this.#world.events(id, this.#sessions))
      .filter(({ type }) => type === "step.finished")
      .map(({ step }) => (step as string).replace(/^:/, ""));
  }

  async #isEmpty(id: string): Promise<boolean> {
    if (!existsSync(join(this.#sessions, id, "journal.sqlite"))) return true;
    return (await this.#world.events(id, this.#sessions)).length === 0;
  }

  #id(): string | undefined {
    const ids = existsSync(this.#sessions) ? readdirSync(this.#sessions).filter(isSessionId) : [];
    assert.ok(ids.length <= 1, `${ids.length} runs where there should be one`);
    return ids[0];
  }
}

/** The recorded step that a request belongs to. */
function stepOf({ request }: SeenRequest): string {
  const prompt = promptOf(request);
  if (prompt.includes("Review the work that was just done")) return "review 1.1";
  const task = (Object.keys(tasks) as TaskName[]).find((each) => prompt.includes(`no other: ${titles[each]}\n`));
  return `task ${task} try ${prompt.includes("An earlier try of this task did not pass") ? 2 : 1}`;
}

function filesIn(project: string): Readonly<Record<string, string>> {
  // An agent that is killed while it writes a file leaves its own temporary one beside it.
  const skipped = /^(?:\.git|target)\/|\.tmp\.\d+\.[0-9a-f]+$/;
  const names = [...new Bun.Glob("**/*").scanSync({ cwd: project, dot: true })].filter((name) => !skipped.test(name));
  const hash = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(join(project, name)))
      .digest("hex");
  return Object.fromEntries(names.toSorted().map((name) => [name, hash(name)]));
}

/** The names of trees count every file, also what a killed agent left: the files themselves are compared. */
const unequal: ReadonlySet<string> = new Set(["tree", "treeAfter", "costUsd"]);

/** Without the extra cost of an interrupted turn, and without random names. */
function comparable(report: Json, id: string): Json {
  const text = JSON.stringify(report, (key, value: Json) => (unequal.has(key) ? undefined : value));
  return JSON.parse(text.replaceAll(id, "RUN")) as Json;
}
