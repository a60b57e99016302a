// A run of many events with 50 workers on disk, watched as mission control does: the first picture, the whole past, jumps
// through it. A picture is all lines of a screen of 120×40.

import { createRunReader } from "../../src/app/runs-read.ts";
import { readEvent } from "../../src/events/run-event.ts";
import type { JournalEvent } from "../../src/journal/port.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { bodyLines, headLine } from "../../src/tui/control/control-lines.ts";
import { lanesOf } from "../../src/tui/control/lanes.ts";
import { lookAt } from "../../src/tui/control/look-at.ts";
import { type WatchedRun, watchRun } from "../../src/tui/control/watch-run.ts";
import type { Figures } from "./bench.ts";
import { SessionStore } from "../../src/workflows/sessions/session-store.ts";
import { createSessionView } from "../../src/workflows/sessions/session-view.ts";
import { ViewRecorder } from "../../src/workflows/sessions/view-snapshot.ts";

const workers = 50;
const id = "00000000-0000-4000-8000-000000000031";

/** Fifty workers, each with a turn under way at the end. */
function recordOf(count: number): readonly JournalEvent[] {
  const all: JournalEvent[] = [
    {
      type: "run.started",
      workflow: "ralph",
      resumed: false,
      state: {},
      prompt: "everything",
      cwd: "/",
      descriptions: { work: "Working on the tasks" },
      shape: { start: "work", nodes: ["agent plan", "agent work", "tool report"], edges: [] },
    },
    { type: "node.started", key: "work#1", node: "work", visit: 1, attempt: 1 },
  ];
  for (let i = 0; all.length < count; i++) {
    const task = String(i % workers);
    const place = { key: "work#1", node: "work" };
    const turn = { agent: "worker", turn: `t${i}`, task, worker: i % workers, ...place };
    const before = { ...turn, turn: `t${i - workers}` };
    const usage = { inputTokens: 100, outputTokens: 10, costUsd: 0.01 };
    if (i >= workers) all.push({ type: "agent.turn-finished", ...before, outcome: "completed", usage });
    all.push(
      { type: "task.updated", task: { id: task, title: `task ${task}`, status: "in_progress" }, ...place },
      { type: "agent.turn-started", ...turn },
      { type: "agent.usage-reported", ...turn, usage },
      { type: "step.finished", key: "work#1", step: `:task ${task} try ${i}`, value: { isDone: true, costUsd: 0.01 } },
    );
  }
  return all.slice(0, count);
}

async function makeRun(folder: string, count: number): Promise<SessionStore> {
  const store = new SessionStore({ dir: folder });
  const handle = await store.open(id, { mode: "create" });
  const record = recordOf(count);
  for (let from = 0; from < record.length; from += 1000) await handle.append(record.slice(from, from + 1000));
  await handle.close();
  // As the process that ran it does now and then.
  const recorder = new ViewRecorder(store.folder(id), { view: createSessionView(id), starts: [] });
  for await (const stored of store.read(id)) {
    recorder.add(readEvent(stored));
    recorder.keepIfLong();
  }
  return store;
}

/** All lines of the screen; gives their number, so that nothing is left out. */
function picture(run: WatchedRun, seq: number | undefined): number {
  const { moment, activity, at } = lookAt(run, seq);
  const lanes = lanesOf(moment, activity, at);
  const head = headLine({ moment, status: run.status, isLive: seq === undefined, now: at }, 118);
  return head.length + bodyLines({ moment, lanes, selected: undefined, now: at }, 118, 34).length;
}

const cpuNow = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) * 1e3;
};

export async function watchLongRun(folder: string, count: number): Promise<Figures> {
  const reader = createRunReader(await makeRun(folder, count), systemClock);
  const port = {
    page: async (run: string) => {
      const { view, status } = await reader.page(run);
      return { view, status };
    },
    status: async () => "interrupted" as const,
    events: reader.events,
    follow: reader.follow,
    transcript: reader.transcript,
  };
  const began = process.cpuUsage();
  let openNs = 0;
  const run = await new Promise<WatchedRun>((resolve) => {
    const watch = watchRun(port, id, () => {
      if (openNs === 0 && picture(watch.run, undefined) > 0) openNs = cpuNow(began);
      if (!watch.run.isRead) return;
      watch.stop();
      resolve(watch.run);
    });
  });
  const readNs = cpuNow(began);
  picture(run, undefined);
  let scrubNs = 0;
  for (let i = 0; i < 200; i++) {
    const before = process.cpuUsage();
    picture(run, 1 + ((Math.imul(i, 2_654_435_761) >>> 8) % run.events.length));
    scrubNs = Math.max(scrubNs, cpuNow(before));
  }
  return { cpuNs: openNs, readNs, scrubNs };
}
