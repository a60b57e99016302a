// Whole runs of ralph that are steered: a failed one is retried, one is forked, one is cancelled, paused or at work.
// The process that does it is killed around a write, and the same command is given again: the end must be the same,
// what was on record before stays as it was, and no step that is on record is taken again.

import { deepStrictEqual, ok } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readEvent } from "../../../src/events/run-event.ts";
import type { StoredEvent } from "../../../src/journal/port.ts";
import { readView } from "../../../src/workflows/sessions/session-view.ts";
import type { Kill } from "../../durability/matrix/killing-store.ts";
import { patienceMs, poll } from "../../cli/cli-world.ts";
import { type ProcessEnd, RalphMatrixPlace } from "./place.ts";
import { json, type Scenario, say, turn, worker, write } from "./scenarios.ts";

/** What must be the same, killed or not. */
interface SteeredEnd {
  readonly status: string;
  readonly tasks: Readonly<Record<string, string>>;
  readonly steps: readonly string[];
  readonly tree: Readonly<Record<string, string>>;
}

export interface Steered extends SteeredEnd {
  /** Those of the process that was to be killed. */
  readonly writes: number;
  readonly wasKilled: boolean;
}

export interface Steering {
  readonly scenario: Scenario;
  /** The first write that can be met: earlier ones are not part of what is done. */
  readonly firstKill?: (writes: number) => number;
  readonly run: (place: SteeredPlace, kill: Kill | undefined) => Promise<Steered>;
}

const plan = turn(
  "plan 1",
  { agent: "planner" },
  json({
    tasks: [
      { id: "1", title: "One" },
      { id: "2", title: "Two", verify: 'test -e "$HOME/../allowed"' },
    ],
  }),
);

const tasks = [
  plan,
  ...worker("1", [write("1.txt", "1\n"), say("done")]),
  ...worker("2", [write("2.txt", "2\n"), say("done")], [write("2.txt", "2\n"), say("done again")]),
];

const words = ["ralph", "Build it", "--workers", "1", "--max-reviews", "0", "--max-tries", "1", "--trust"];

export const steerings: Readonly<Record<string, Steering>> = {
  "retry of a failed run": {
    scenario: { words, turns: tasks },
    async run(place, kill) {
      await place.begin(1);
      const before = await place.recordOf(place.first);
      place.allow();
      const killed = await place.act(["resume", place.first], kill);
      await place.requireKept(place.first, before);
      if (killed.exitCode === null) await place.finish(place.first);
      return place.endOf(place.first, killed, before.length);
    },
  },

  "fork of a completed run": {
    scenario: { words, turns: tasks },
    async run(place, kill) {
      place.allow();
      await place.begin(0);
      const before = await place.recordOf(place.first);
      const fork = ["resume", place.first, "--from", "work"];
      const killed = await place.act(fork, kill);
      let into = await place.otherRun();
      if (into === undefined) {
        ok(killed.exitCode === null, `there is no fork: ${killed.stderr}`);
        await place.act(fork, undefined);
        into = await place.otherRun();
      } else if (killed.exitCode === null) await place.finish(into);
      deepStrictEqual(await place.recordOf(place.first), before, "the old run was changed");
      ok(into !== undefined, "there is no fork");
      return place.endOf(into, killed, 0);
    },
  },

  "cancelling a paused run": {
    scenario: { words: [...words, "--max-iterations", "1"], turns: tasks },
    async run(place, kill) {
      await place.begin(5);
      const before = await place.recordOf(place.first);
      const killed = await place.act(["cancel", place.first], kill);
      await place.requireKept(place.first, before);
      if (killed.exitCode === null) await place.act(["cancel", place.first], undefined);
      await place.requireCancelled(before.length);
      return place.endOf(place.first, killed, before.length);
    },
  },

  "cancelling a run at work": {
    scenario: { words, turns: [plan, turn("task 1 try 1", { agent: "worker" }, { waitMs: 600_000 })] },
    // Only its end is left by then.
    firstKill: (writes) => writes - 3,
    async run(place, kill) {
      const started = place.matrix.start(place.matrix.words, kill);
      let hasEnded = false;
      void started.ended.then(() => (hasEnded = true));
      await poll(async () => {
        // Killed before its turn was on record: then it is cancelled as one that was interrupted.
        if (hasEnded) return true;
        const id = place.matrix.runId;
        const events = id === undefined ? [] : await place.recordOf(id);
        return (
          events.some(({ type, agent }) => type === "agent.turn-started" && agent === "atomic:worker") || undefined
        );
      }, patienceMs);
      place.first = place.matrix.runId ?? "";
      await place.act(["cancel", place.first], undefined);
      const killed = await started.ended;
      await place.requireCancelled(0);
      return place.endOf(place.first, killed, 0);
    },
  },
};

/** The place of one steered run, and what is done there. */
export class SteeredPlace {
  readonly matrix: RalphMatrixPlace;
  /** The run that is steered. */
  first = "";

  constructor(matrix: RalphMatrixPlace) {
    this.matrix = matrix;
  }

  /** What the check of the second task waits for. */
  allow(): void {
    writeFileSync(join(this.matrix.root, "allowed"), "");
  }

  async begin(exitCode: number): Promise<void> {
    const end = await this.matrix.run(this.matrix.words);
    deepStrictEqual(end.exitCode, exitCode, end.stderr);
    this.first = this.matrix.runId ?? "";
  }

  async act(words: readonly string[], kill: Kill | undefined): Promise<ProcessEnd> {
    const end = await this.matrix.run(words, kill);
    ok(kill !== undefined || end.exitCode === 0, `atomic ${words.join(" ")} ended with ${end.exitCode}: ${end.stderr}`);
    return end;
  }

  /** Killed after its last record, there is nothing left to do, and resuming says so. */
  async finish(run: string): Promise<void> {
    await this.act(["resume", run], undefined);
  }

  recordOf(run: string): Promise<readonly StoredEvent[]> {
    return this.matrix.eventsOf(run);
  }

  async requireKept(run: string, before: readonly StoredEvent[]): Promise<void> {
    deepStrictEqual((await this.recordOf(run)).slice(0, before.length), before, "what was on record was changed");
  }

  /** Ended once, for good, and never resumed. */
  async requireCancelled(from: number): Promise<void> {
    const events = await this.recordOf(this.first);
    const ends = events.slice(from).flatMap(({ type, outcome }) => (type === "run.finished" ? [outcome] : []));
    deepStrictEqual(ends, ["cancelled"], "its end is on record once");
    const resumed = await this.matrix.run(["resume", this.first]);
    ok(resumed.exitCode !== 0, "a cancelled run was resumed");
    deepStrictEqual(await this.recordOf(this.first), events, "a cancelled run was changed");
  }

  /** A run that was begun besides, with something on record. */
  async otherRun(): Promise<string | undefined> {
    for (const id of this.matrix.store.localRuns())
      if (id !== this.first && (await this.recordOf(id)).length > 0) return id;
    return undefined;
  }

  /** The status of that run, and its steps from the event after `from` on. */
  async endOf(run: string, killed: ProcessEnd, from: number): Promise<Steered> {
    const events = await this.recordOf(run);
    const view = await readView(run, events);
    const steps = events
      .slice(from)
      .map(readEvent)
      .flatMap((event) => (event.type === "step.finished" ? [event.step] : []));
    deepStrictEqual(new Set(steps).size, steps.length, "a step is recorded twice");
    return {
      status: view.status,
      tasks: Object.fromEntries([...view.tasks.values()].map(({ id, status }) => [id, status])),
      steps: steps.toSorted(),
      tree: this.matrix.tree(run),
      writes: killed.writes,
      wasKilled: killed.exitCode === null,
    };
  }
}

export async function runSteered(
  steering: Steering,
  kill: Kill | undefined,
  program: readonly string[],
): Promise<Steered> {
  const matrix = new RalphMatrixPlace(steering.scenario, program);
  try {
    return await steering.run(new SteeredPlace(matrix), kill);
  } finally {
    matrix.remove();
  }
}

/** Around every write of the process that steers. */
export function everySteeredKill({ firstKill = () => 1 }: Steering, { writes }: Steered): readonly Kill[] {
  const first = Math.max(1, firstKill(writes));
  return Array.from({ length: writes - first + 1 }, (_, i) => first + i).flatMap((write) => [
    { write, when: "before" as const },
    { write, when: "after" as const },
  ]);
}

/** Returns what is wrong, or undefined. */
export async function steeredProblem(
  steering: Steering,
  kill: Kill,
  expected: Steered,
  program: readonly string[],
): Promise<string | undefined> {
  try {
    const { writes: _, wasKilled, ...end } = await runSteered(steering, kill, program);
    const { writes, wasKilled: _killed, ...same } = expected;
    deepStrictEqual(end, same);
    // A process that works beside another may write once more or less.
    ok(wasKilled || kill.write >= writes - 1, "it ended before it could be killed");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
