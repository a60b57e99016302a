// A thousand tasks over eight workers, turns of 1 ms: what the run costs above the turns themselves, and how much of it
// goes into the files that people read (tasks.json, progress.txt, session.json) and into the transcript. In one
// process, on a real disk.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figures, MeasureContext, Measured, Row } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const tasks = 1_000;
const workers = 8;

function cpuNs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1e3;
}

/** The same number of turns of the same agent, with the same concurrency, and no run around them. */
async function turnsAlone(): Promise<number> {
  const { makeClient } = await import("../harness/ralph-run.ts");
  const client = makeClient();
  const before = cpuNs();
  let left = tasks;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const session = await client.open({ cwd: process.cwd() });
      for await (const event of session.turn("Do it", {})) if (event.type === "turn.failed") throw new Error("failed");
      await session.close();
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  await client.close();
  return cpuNs() - before;
}

/** CPU that is spent in writing the projections, wherever it is called from. */
async function watchProjections(): Promise<() => number> {
  const { SessionProjections } = await import("../../src/workflows/sessions/projections.ts");
  const { write } = SessionProjections.prototype;
  let spent = 0;
  SessionProjections.prototype.write = function (this: InstanceType<typeof SessionProjections>): void {
    const before = cpuNs();
    write.call(this);
    spent += cpuNs() - before;
  };
  return () => spent;
}

/** The same for the transcript: entries are made and written when it is flushed. */
async function watchTranscript(): Promise<() => number> {
  const { TranscriptWriter } = await import("../../src/transcript/transcript-writer.ts");
  const { flush } = TranscriptWriter.prototype;
  let spent = 0;
  // CPU time, as for the whole run: wall time would include other processes.
  TranscriptWriter.prototype.flush = function (this: InstanceType<typeof TranscriptWriter>): void {
    const before = cpuNs();
    flush.call(this);
    spent += cpuNs() - before;
  };
  return () => spent;
}

async function measure({ folder }: MeasureContext): Promise<Figures> {
  if (typeof Bun === "undefined") return {};
  const { makeClient, runRalph, taskList } = await import("../harness/ralph-run.ts");
  const run = async (count: number, name: string): Promise<number> => {
    const place = join(folder, name);
    mkdirSync(join(place, "project/research"), { recursive: true });
    writeFileSync(join(place, "project/research/tasks.json"), taskList(count));
    const client = makeClient();
    const before = cpuNs();
    const { status, message } = await runRalph({
      folder: place,
      client,
      prompt: "",
      maxIterations: 0,
      options: { workers },
    });
    const spent = cpuNs() - before;
    await client.close();
    if (status !== "completed") throw new Error(`the run ended as ${status}: ${message}`);
    return spent;
  };
  // Compiling, loading and opening happen once and are not a cost of a task.
  await run(50, "warm-up");
  const once = await run(1, "once");
  const spentInProjections = await watchProjections();
  const spentInTranscript = await watchTranscript();
  const whole = await run(tasks, "whole");
  const projections = spentInProjections();
  const transcript = spentInTranscript();
  const turns = await turnsAlone();
  return {
    cpuNs: (whole - once - turns) / tasks,
    turnNs: turns / tasks,
    share: projections / whole,
    transcript: transcript / whole,
  };
}

function rows(measured: Measured): readonly Row[] {
  const perTask = measured.median("atomic", "cpuNs");
  if (!Number.isFinite(perTask)) return [];
  const share = (value: number): string => `${(value * 100).toFixed(1)} %`;
  return [
    atMost("1,000 tasks over 8 workers, 1 ms turns: CPU per task above the turns", perTask, 1e6, duration),
    {
      work: "A turn of 1 ms alone: CPU",
      target: "",
      measured: duration(measured.median("atomic", "turnNs")),
      isMet: undefined,
    },
    atMost(
      "The same run: share of its CPU that writes tasks.json, progress.txt and session.json",
      measured.median("atomic", "share"),
      0.1,
      share,
    ),
    atMost(
      "The same run: share of its CPU that writes the transcript",
      measured.median("atomic", "transcript"),
      0.05,
      share,
    ),
  ];
}

export default defineBench({
  title: "Run a thousand tasks",
  part: "program",
  unit: "task",
  rounds: { full: 5, quick: 1 },
  subjects: { atomic: { measure } },
  rows,
});
