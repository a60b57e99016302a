// Watching a run with a port of plain values: what is read, what is followed, what goes wrong.

import { afterEach, expect, test } from "bun:test";
import type { RunEvent } from "../../events/run-event.ts";
import { AtomicError } from "../../lib/errors.ts";
import { createSessionView, type SessionView } from "../../workflows/sessions/session-view.ts";
import type { RunRowStatus } from "../runs/runs-port.ts";
import { lookAt } from "./look-at.ts";
import { sampleRun } from "../../../tests/support/tui/sample-run.ts";
import { type RunWatch, type WatchedRun, watchRun } from "./watch-run.ts";

const sample = sampleRun();
const stops: RunWatch[] = [];
afterEach(() => {
  for (const watch of stops.splice(0)) watch.stop();
});

interface Source {
  events: readonly RunEvent[];
  status: RunRowStatus;
  present?: SessionView;
  problem?: AtomicError;
  /** Ends what is followed. */
  stop?: () => void;
  push?: (event: RunEvent) => void;
}

function watched(source: Source): { readonly run: WatchedRun; until(is: (run: WatchedRun) => boolean): Promise<void> } {
  const waiting = new Set<() => void>();
  const watch = watchRun(
    {
      page: async (id) => {
        if (source.problem !== undefined && source.events.length === 0) throw source.problem;
        return { view: source.present ?? createSessionView(id), status: source.status };
      },
      status: async () => source.status,
      async *events(_, from) {
        yield* source.events.slice(from - 1);
        if (source.problem !== undefined) throw source.problem;
      },
      async *follow(_, { from, signal }) {
        const coming: RunEvent[] = [];
        let wake = (): void => undefined;
        let isOver = false;
        source.push = (event) => {
          coming.push(event);
          wake();
        };
        source.stop = () => {
          isOver = true;
          wake();
        };
        signal.addEventListener("abort", () => source.stop?.());
        for (;;) {
          for (const event of coming.splice(0)) if (event.seq >= from) yield event;
          if (isOver) return;
          await new Promise<void>((resolve) => (wake = resolve));
        }
      },
      async *transcript() {
        yield* sample.transcript;
      },
    },
    sample.id,
    () => {
      for (const check of waiting) check();
    },
  );
  stops.push(watch);
  return {
    run: watch.run,
    until: (is) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!is(watch.run)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}

test("what comes live and what is read from the record give the same view", async () => {
  const [first, ...rest] = sample.events;
  if (first === undefined) throw new Error("the sample has events");
  const source: Source = { events: [first], status: "running" };
  const live = watched(source);
  await live.until(() => source.push !== undefined);
  for (const event of rest) source.push?.(event);
  await live.until((run) => run.events.length === sample.events.length && run.transcript.length > 0);
  const stored = watched({ events: sample.events, status: "paused" });
  await stored.until((run) => run.isRead && run.transcript.length > 0);

  const view = (run: WatchedRun): string => JSON.stringify(plain(lookAt(run, undefined).moment.view));
  expect(view(live.run)).toBe(view(stored.run));
  expect(live.run.marks).toEqual(stored.run.marks);
});

test("how the run stands is shown before its record is read", async () => {
  const present = { ...createSessionView(sample.id), workflow: "from the snapshot" };
  const source: Source = { events: sample.events, status: "interrupted", present };
  const seen: string[] = [];
  const { run, until } = watched(source);
  await until((now) => {
    seen.push(lookAt(now, undefined).moment.view.workflow);
    return now.isRead;
  });

  expect(seen[0]).toBe("");
  expect(seen).toContain("from the snapshot");
  expect(lookAt(run, undefined).moment.view.workflow).toBe("ralph");
});

test("a record that can't be read to its end, and a run that is gone, are reported; what was read stays", async () => {
  const torn = watched({
    events: sample.events.slice(0, 9),
    status: "paused",
    problem: new AtomicError("JOURNAL_CORRUPT", "It is torn."),
  });
  await torn.until((run) => run.problem !== undefined);
  expect(torn.run).toMatchObject({ problem: "It is torn.", status: "unreadable" });
  expect(torn.run.events.length).toBe(9);

  const gone = watched({ events: [], status: "running", problem: new AtomicError("RUN_NOT_FOUND", "No such run.") });
  await gone.until((run) => run.problem !== undefined);
  expect(gone.run.problem).toBe("No such run.");
});

/** Maps as lists, so that they can be compared. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if (Symbol.iterator in value) return [...(value as Iterable<unknown>)].map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}
