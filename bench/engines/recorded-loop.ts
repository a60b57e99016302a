// A loop whose every step is recorded: a state of a given size, and an update of 1 kB per step.

import { createNode, executeGraph, graph, type JournalStore, pauseWith } from "../../src/public/graph.ts";

export interface NoteState {
  readonly count: number;
  readonly note: string;
  readonly data: readonly string[];
}

export interface RecordedLoop {
  readonly store: JournalStore;
  readonly run: string;
  readonly stateBytes: number;
  /** The loop pauses here; the run stays open. */
  readonly pauseAt: number;
  readonly resume?: boolean;
  /** Called in each step, before it returns; a promise is waited for. */
  readonly onStep?: (count: number) => Promise<void> | void;
  readonly snapshotEvery?: number;
}

const updateBytes = 1_000;
const chunk = "state ".repeat(167).slice(0, 1_000);

/** Created beforehand: what a node's body does is not a cost of the engine. */
const notes: readonly string[] = Array.from({ length: 1_000 }, (_, i) => {
  const start = `step ${i} `;
  const note = start + "abcdefghij".repeat(updateBytes / 10).slice(start.length + '{"count":10000,"note":""}'.length);
  // As one piece: a concatenated string is only flattened when it is read.
  return JSON.parse(JSON.stringify(note)) as string;
});

/** The update of one step; its text differs from step to step. */
export function updateOf(count: number): { count: number; note: string } {
  return { count, note: notes[count % notes.length] as string };
}

/** Runs or resumes the loop until it pauses. */
export async function runRecordedLoop(loop: RecordedLoop): Promise<void> {
  const controller = new AbortController();
  const step = createNode<NoteState>({
    id: "note",
    execute: async ({ state }) => {
      const count = state.count + 1;
      const held = loop.onStep?.(count);
      if (held !== undefined) await held;
      if (count >= loop.pauseAt) controller.abort(pauseWith("paused"));
      return { stateUpdate: updateOf(count) };
    },
  });
  const compiled = graph<NoteState>()
    .start(createNode<NoteState>({ id: "start", execute: async () => undefined }))
    .loop(step, { until: () => false, maxIterations: 0 })
    .compile({ maxSteps: 0 });
  const { store, run, resume = false, snapshotEvery } = loop;
  const { status, error } = await executeGraph(compiled, {
    initialState: { count: 0, note: "", data: Array.from({ length: loop.stateBytes / chunk.length }, () => chunk) },
    journal: { store, run, resume },
    signal: controller.signal,
    snapshotEvery,
  });
  if (status !== "paused") throw error ?? new Error(`The run ended as ${status}, and should have paused.`);
}
