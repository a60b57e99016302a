// One cell of the ralph matrix: a run that is killed at chosen writes, resumed by `atomic resume` to its end, and
// compared with the same run undisturbed. Between two processes the record and the started turns are checked: a step
// that is on record must not be taken again.

import { deepStrictEqual, ok } from "node:assert/strict";
import type { StoredEvent } from "../../../src/journal/port.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { keyPart } from "../../../src/workflows/graph/model/key.ts";
import { readView } from "../../../src/workflows/sessions/session-view.ts";
import type { Kills } from "../../durability/matrix/cell.ts";
import { type ProcessEnd, RalphMatrixPlace } from "./place.ts";
import type { Scenario } from "./scenarios.ts";

type RalphKill = Kills[number];

/** What must be the same however often the run was killed. */
export interface RalphEnd {
  readonly same: {
    readonly exitCode: number;
    readonly tree: Readonly<Record<string, string>>;
    readonly tasks: Readonly<Record<string, string>>;
    readonly iterations: number;
    readonly report: Json;
    /** What each commit in the run's head brought, and for which task: one entry for each landing, in no order. */
    readonly landed: readonly string[];
    /** The steps on record, except rounds of a landing after its first. */
    readonly steps: readonly string[];
  };
  /** Turns that came to their own end. */
  readonly turns: number;
  readonly writes: number;
  readonly records: number;
  /** Turns that were begun more than once. */
  readonly repeated: number;
  readonly kills: number;
}

const maxProcesses = 20;

export async function runRalphCell(scenario: Scenario, kills: Kills, program: readonly string[]): Promise<RalphEnd> {
  const place = new RalphMatrixPlace(scenario, program);
  try {
    return await new RalphCell(scenario, [...kills], place).run();
  } finally {
    place.remove();
  }
}

class RalphCell {
  readonly #scenario: Scenario;
  readonly #place: RalphMatrixPlace;
  readonly #kills: RalphKill[];
  readonly #answered = new Set<string>();
  #killed = 0;
  /** Writes since the last kill. */
  #writes = 0;
  #allWrites = 0;
  /** Words that the next resume takes. */
  #more: readonly string[] = [];

  constructor(scenario: Scenario, kills: RalphKill[], place: RalphMatrixPlace) {
    this.#scenario = scenario;
    this.#kills = kills;
    this.#place = place;
  }

  async run(): Promise<RalphEnd> {
    let isResume = false;
    for (let processes = 0; processes < maxProcesses; processes++) {
      const end = await this.#runProcess(isResume);
      if (end.exitCode === null) {
        // How many writes there are depends on timing. A run that has failed for good would be tried again.
        if (await this.#hasFailed()) return this.#end(end);
        isResume = await this.#canResume();
        continue;
      }
      if (end.exitCode === 4) await this.#answer();
      else if (end.exitCode === 5 && this.#scenario.resumeWith !== undefined) this.#more = this.#scenario.resumeWith;
      else return this.#end(end);
      isResume = true;
    }
    throw new Error(`it did not finish in ${maxProcesses} processes`);
  }

  async #runProcess(isResume: boolean): Promise<ProcessEnd> {
    const [kill] = this.#kills;
    const recorded = new Set((await this.#place.events()).flatMap(stepOf));
    const before = this.#place.effects().length;
    const words = isResume ? ["resume", ...this.#more] : this.#place.words;
    const byWrite = kill !== undefined && "write" in kill ? { ...kill, write: kill.write - this.#writes } : undefined;
    const child = this.#place.start(words, byWrite);
    const timer = kill !== undefined && "afterMs" in kill ? setTimeout(() => child.kill(), kill.afterMs) : undefined;
    const end = await child.ended;
    clearTimeout(timer);
    const again = this.#place
      .effects()
      .slice(before)
      .filter((step) => recorded.has(keyPart(step)));
    deepStrictEqual(again, [], "these turns were taken again although their steps were on record");
    this.#writes += end.writes;
    this.#allWrites += end.writes;
    if (end.exitCode === null) {
      this.#kills.shift();
      this.#killed++;
      this.#writes = 0;
    }
    return end;
  }

  async #hasFailed(): Promise<boolean> {
    const last = (await this.#place.events()).at(-1);
    return last?.type === "run.finished" && last["outcome"] === "failed";
  }

  /** A process that was killed before it recorded its start leaves nothing to resume: its folder is removed. */
  async #canResume(): Promise<boolean> {
    const events = await this.#place.events();
    if (events.length > 0) {
      // Over, but not recorded as such: resuming records it.
      return true;
    }
    deepStrictEqual(this.#place.effects(), [], "something ran before the start was recorded");
    const id = this.#place.runId;
    if (id !== undefined) {
      const resumed = await this.#place.run(["resume", id]);
      ok(resumed.exitCode === 1 && /atomic sessions|sessions rm/.test(resumed.stderr), resumed.stderr);
      const removed = await this.#place.run(["sessions", "rm", id]);
      deepStrictEqual(removed.exitCode, 0, removed.stderr);
    }
    return false;
  }

  async #answer(): Promise<void> {
    const view = await readView("", await this.#place.events());
    ok(view.questions.size > 0, "it waits for the user and has no open questions");
    for (const { id, text } of view.questions.values()) {
      ok(!this.#answered.has(id), `the answer to "${text}" was lost`);
      this.#answered.add(id);
      const value = this.#scenario.answers?.[text];
      ok(value !== undefined, `there is no answer to "${text}"`);
      const done = await this.#place.run(["answer", this.#place.runId ?? "", "--question", id, value]);
      deepStrictEqual(done.exitCode, 0, done.stderr);
    }
  }

  async #end(last: ProcessEnd): Promise<RalphEnd> {
    const events = await this.#place.events();
    const view = await readView("", events);
    const ended = events.at(-1);
    deepStrictEqual(ended?.type, "run.finished", `the last record is ${ended?.type}: ${last.stderr}`);
    const steps = events.flatMap(stepOf);
    deepStrictEqual(duplicatesIn(steps), [], "these steps are recorded twice");
    const effects = this.#place.effects();
    const landed = this.#place.landed();
    checkLandings(
      landed.map(({ task }) => task),
      events,
    );
    return {
      same: {
        exitCode: ended?.["outcome"] === "completed" ? 0 : 1,
        tree: this.#place.tree(),
        tasks: Object.fromEntries([...view.tasks.values()].map(({ id, status }) => [id, status])),
        iterations: view.iteration,
        report: comparable(view.report ?? null),
        landed: landed.map(({ task, changes }) => `${task}: ${changes.join(", ")}`).toSorted(),
        steps: steps.filter((step) => !isLaterRound(step)).toSorted(),
      },
      turns: events.filter(isCompletedTurn).length,
      writes: this.#allWrites,
      records: events.length,
      repeated: duplicatesIn(effects).length,
      kills: this.#killed,
    };
  }
}

/**
 * A task may find that another has landed since it was merged: then it is merged and tried once more. How many rounds
 * that takes depends on who was faster; `checkLandings` sees that only one of them landed.
 */
function isLaterRound(step: string): boolean {
  const round = / (?:merge|land) (\d+)$/.exec(step)?.[1];
  return round !== undefined && round !== "1";
}

/** `tasks`: one for each commit in the run's head. No task lands twice: not in git, not on record, not in any round. */
function checkLandings(tasks: readonly string[], events: readonly StoredEvent[]): void {
  deepStrictEqual(duplicatesIn(tasks), [], "these tasks have more than one commit in the run's head");
  const recorded = events.flatMap((event) => (event.type === "task.landed" ? [event["task"] as string] : []));
  deepStrictEqual(recorded.toSorted(), tasks.toSorted(), "the record and the run's head name other landings");
  const rounds = events.flatMap((event) => {
    const [name] = stepOf(event);
    const of = / task (.+) try \d+ land \d+$/.exec(` ${name ?? ""}`)?.[1];
    return of === undefined ? [] : [{ of, hasLanded: event["value"] === "landed" }];
  });
  const landings = rounds.filter(({ hasLanded }) => hasLanded).map(({ of }) => of);
  deepStrictEqual(landings.toSorted(), tasks.toSorted(), "rounds that landed, against the commits in the run's head");
}

function isCompletedTurn(event: StoredEvent): boolean {
  return event.type === "agent.turn-finished" && event["outcome"] === "completed";
}

/** The name of a step that is on record, as the effects have it. */
function stepOf(event: StoredEvent): string[] {
  return event.type === "step.finished" ? [(event["step"] as string).replace(/^:/, "")] : [];
}

function duplicatesIn(list: readonly string[]): string[] {
  return list.filter((item, place) => list.indexOf(item) !== place);
}

/** Which tree a check saw depends on which worker was faster, and commits carry times; the notes name them too. */
const timely: ReadonlySet<string> = new Set(["tree", "treeAfter", "notes", "base", "commit", "landed", "kept"]);

/** Without what depends on which worker was faster, and on the run's random id. */
function comparable(report: Json): Json {
  const text = JSON.stringify(report, (key, value: Json) =>
    timely.has(key) && (key === "notes" || typeof value === "string" || value === null) ? undefined : value,
  );
  return JSON.parse(text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "RUN")) as JsonObject;
}
