// One cell of the kill matrix: a run that is killed at chosen writes, resumed by fresh processes to its end, and
// compared with the same run undisturbed. After every process the record and the effects file are checked:
// what the record said was done must not have been done again.

import { deepStrictEqual, ok } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalStore, StoredEvent } from "../../../src/journal/port.ts";
import type { Json } from "../../../src/lib/json.ts";
import { keyOfDone } from "../tape.ts";
import { type ChildReport, type ChildTask, effectsIn, openStore, runId, type StoreName } from "./child.ts";
import { GraphKit, type MatrixGraph } from "./graph-kit.ts";
import { matrixGraphs } from "./graphs.ts";
import type { Kill } from "./killing-store.ts";

export interface CellOf {
  readonly graph: string;
  readonly store: StoreName;
  /** Events between two snapshots. */
  readonly snapshotEvery: number;
}

/** How a finished run ended. */
export interface Ended {
  readonly status: string;
  /** Undefined when it failed or was cancelled, and was killed after that was recorded: such a run is not resumed. */
  readonly state: Json | undefined;
  /** Visits and parts of visits that are recorded as done. */
  readonly keys: readonly string[];
  /** Writes of all its processes. */
  readonly writes: number;
  readonly records: number;
}

/** Kills by the number of the write, counted over all processes from the one that was killed last. */
export type Kills = readonly (Kill | { readonly afterMs: number })[];

export type StartChild = (task: ChildTask) => RunningChild;

export interface RunningChild {
  /** Its report, or undefined when it was killed. */
  readonly ended: Promise<ChildReport | undefined>;
  kill(): void;
}

const maxProcesses = 20;

export async function runCell(of: CellOf, kills: Kills, start: StartChild): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), "atomic-matrix-"));
  try {
    return await new Cell(of, kills, start, folder).run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Cell {
  readonly #of: CellOf;
  readonly #kills: (Kill | { readonly afterMs: number })[];
  readonly #start: StartChild;
  readonly #folder: string;
  readonly #store: JournalStore;
  readonly #graph: Partial<MatrixGraph>;
  readonly #answered = new Set<string>();
  #resume = false;
  /** Writes since the last kill. */
  #writes = 0;
  #allWrites = 0;

  constructor(of: CellOf, kills: Kills, start: StartChild, folder: string) {
    this.#of = of;
    this.#kills = [...kills];
    this.#start = start;
    this.#folder = folder;
    this.#store = openStore(of.store, folder);
    this.#graph = matrixGraphs[of.graph]?.(new GraphKit(effectsIn(folder))) ?? {};
  }

  async run(): Promise<Ended> {
    for (let processes = 0; processes < maxProcesses; processes++) {
      const wasCompleted = (await this.#events()).at(-1)?.["outcome"] === "completed";
      const report = await this.#runProcess();
      if (report === undefined) continue;
      if ("refused" in report) {
        if (report.refused === "RUN_FINISHED") return this.#end();
        await this.#startOver(report);
        continue;
      }
      this.#writes += report.writes;
      this.#allWrites += report.writes;
      if (report.status === "paused") await this.#answer(report.questions);
      else if (report.status === "failed" && this.#graph.isRetried === true) continue;
      else return this.#end(report, wasCompleted);
    }
    throw new Error(`it did not finish in ${maxProcesses} processes`);
  }

  async #runProcess(): Promise<ChildReport | undefined> {
    const [kill] = this.#kills;
    const before = await this.#doneKeys();
    const effectsBefore = effectsIn(this.#folder).read().length;
    const byWrite = kill !== undefined && "write" in kill ? { ...kill, write: kill.write - this.#writes } : undefined;
    const { graph, store, snapshotEvery } = this.#of;
    const child = this.#start({
      graph,
      store,
      snapshotEvery,
      folder: this.#folder,
      resume: this.#resume,
      ...(byWrite === undefined ? {} : { kill: byWrite }),
    });
    const timer = kill !== undefined && "afterMs" in kill ? setTimeout(() => child.kill(), kill.afterMs) : undefined;
    const report = await child.ended;
    clearTimeout(timer);
    const repeated = effectsIn(this.#folder)
      .read()
      .slice(effectsBefore)
      .filter(({ key }) => before.has(key));
    deepStrictEqual(repeated, [], "these ran again although the record had them");
    if (report === undefined) {
      this.#kills.shift();
      this.#writes = 0;
    }
    this.#resume = true;
    return report;
  }

  /** A process that was killed before it recorded its start leaves nothing to resume: the run is started anew. */
  async #startOver(report: Extract<ChildReport, { refused: string }>): Promise<void> {
    const events = (await this.#events()).map(({ type }) => type);
    deepStrictEqual(events, [], `refused with ${report.refused}: ${report.message}`);
    deepStrictEqual(effectsIn(this.#folder).read(), [], "something ran before the start was recorded");
    if (report.refused === "JOURNAL_CORRUPT") await this.#store.remove(runId);
    else deepStrictEqual(report.refused, "RUN_NOT_FOUND", report.message);
    this.#resume = false;
  }

  async #answer(questions: readonly { id: string; text: string }[]): Promise<void> {
    for (const { id, text } of questions) {
      ok(!this.#answered.has(id), `the answer to "${text}" (${id}) was lost`);
      this.#answered.add(id);
      if (text === this.#graph.cancelledAt) {
        await this.#store.request(runId, { type: "cancel" });
        continue;
      }
      const value = this.#graph.answers?.[text];
      ok(value !== undefined, `there is no answer to "${text}"`);
      await this.#store.request(runId, { type: "answer", question: id, value });
    }
  }

  async #end(report?: Extract<ChildReport, { status: string }>, wasCompleted = false): Promise<Ended> {
    // Where there is nothing left to resume there is nothing left to kill either.
    if (report !== undefined && !wasCompleted) {
      const left = this.#kills.filter((kill) => !this.#isJustBeyondTheEnd(kill));
      deepStrictEqual(left, [], "it ended before it could be killed");
    }
    const events = await this.#events();
    const keys = events.flatMap(keyOfDone);
    deepStrictEqual(
      keys.filter((key, place) => keys.indexOf(key) !== place),
      [],
      "these are recorded twice",
    );
    return {
      status: report?.status ?? (events.at(-1)?.["outcome"] as string),
      state: report?.state,
      keys: keys.sort(),
      writes: this.#allWrites,
      records: events.length,
    };
  }

  /**
   * What branches do at the same moment is one write or two: a run may need a few writes less than the one it is
   * compared with.
   */
  #isJustBeyondTheEnd(kill: Kills[number]): boolean {
    return "write" in kill && kill.write > this.#writes && kill.write <= this.#writes + 3;
  }

  async #doneKeys(): Promise<ReadonlySet<string>> {
    return new Set((await this.#events()).flatMap(keyOfDone));
  }

  async #events(): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    try {
      for await (const event of this.#store.read(runId)) events.push(event);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "RUN_NOT_FOUND") throw error;
    }
    return events;
  }
}
