// The workflow of each run, and the file that its tasks come from. Neither ever changes, so they are kept in one file
// for all runs: a start reads that file, and opens only runs that are missing there. The runs are the source of truth;
// the file can be removed at any time, and an unreadable line is skipped.

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readEvents } from "../events/run-event.ts";
import { isSystemError } from "../lib/atomic-file.ts";
import { isProblemOfRun, type RunStore } from "../workflows/sessions/run-store.ts";

export interface RunSource {
  readonly run: string;
  readonly workflow: string;
  /** Null for a run whose tasks come from no file. */
  readonly file: string | null;
}

/** Of all runs that can be read and have begun. */
export async function readRunSources(store: RunStore): Promise<readonly RunSource[]> {
  const path = join(store.dir, ".sources.jsonl");
  const known = readKnown(path);
  const sources: RunSource[] = [];
  const found: RunSource[] = [];
  for (const id of await store.ids()) {
    const source = known.get(id) ?? (await sourceOf(store, id));
    if (source === undefined) continue;
    sources.push(source);
    if (!known.has(id)) found.push(source);
  }
  if (found.length > 0) keep(path, found);
  return sources;
}

function readKnown(path: string): ReadonlyMap<string, RunSource> {
  const lines = readText(path)?.split("\n") ?? [];
  return new Map(lines.flatMap((line) => parseSource(line) ?? []).map((source) => [source.run, source]));
}

function parseSource(line: string): RunSource | undefined {
  const { run, workflow, file } = parseObject(line);
  if (typeof run !== "string" || typeof workflow !== "string") return undefined;
  return typeof file === "string" || file === null ? { run, workflow, file } : undefined;
}

/** Its own summary first, because it is cheap; then its first event. Undefined if neither has it yet. */
async function sourceOf(store: RunStore, run: string): Promise<RunSource | undefined> {
  try {
    const { workflow, sourceFeatureListPath: file } = parseObject(readText(store.folder(run).session) ?? "");
    if (typeof workflow === "string") return { run, workflow, file: typeof file === "string" ? file : null };
    for await (const event of readEvents(store.read(run))) {
      if (event.type !== "run.started") return undefined;
      return { run, workflow: event.workflow ?? "", file: event.taskSource ?? null };
    }
    return undefined;
  } catch (thrown) {
    // It is shown by `atomic sessions`; it says nothing about its tasks.
    if (isProblemOfRun(thrown)) return undefined;
    throw thrown;
  }
}

/** One write: what other processes append at the same time comes before or after it. Losing it costs time only. */
function keep(path: string, sources: readonly RunSource[]): void {
  try {
    // Starts with a line break, so that a torn line does not spoil this one.
    appendFileSync(path, `\n${sources.map((source) => JSON.stringify(source)).join("\n")}\n`, { mode: 0o600 });
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return undefined;
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return {};
  }
}
