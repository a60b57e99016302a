// What `--record` writes and `-a replay` reads: one JSON object per line. The first says what it is; every other one
// is a whole turn, written when it ended, so that a killed run loses at most the turns that were under way.

import { z } from "zod";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { Json } from "../../lib/json.ts";
import { isTerminal, type AgentEvent, type TerminalEvent } from "../events.ts";

const recordingVersion = 1;

const header = z.object({ recording: z.literal(recordingVersion), agent: z.string(), label: z.string() });

const timedEvent = z.tuple([z.number().nonnegative(), z.looseObject({ type: z.string() })]);

const turn = z.object({
  agent: z.string().optional(),
  task: z.object({ id: z.string(), title: z.string() }).optional(),
  prompt: z.string(),
  /** When it started, in milliseconds since the epoch. */
  startedAt: z.number(),
  events: z.array(timedEvent).min(1),
});

export interface RecordedTurn {
  readonly agent?: string | undefined;
  readonly task?: { readonly id: string; readonly title: string } | undefined;
  readonly prompt: string;
  readonly startedAt: number;
  /** Milliseconds since the start, and the event. The last one is terminal. */
  readonly events: readonly (readonly [number, AgentEvent])[];
}

export interface Recording {
  /** The backend that was recorded. */
  readonly agent: string;
  readonly turns: readonly RecordedTurn[];
}

export function recordingHeader(agent: string, label: string): Json {
  return { recording: recordingVersion, agent, label };
}

/** Throws SCRIPT_INVALID naming the line. A last line without its end is that of a killed run, and left out. */
export function parseRecording(content: string, source: string): Recording {
  const lines = content.split("\n");
  const torn = lines.pop() ?? "";
  if (lines.length === 0) throw invalid(source, 1, torn === "" ? "it is empty" : "the first line has no end");
  const head = header.safeParse(parseLine(lines[0] ?? "", source, 1));
  if (!head.success)
    throw invalid(source, 1, "it is not a recording of this version (a script is played with -a scripted)");
  return { agent: head.data.agent, turns: lines.slice(1).map((line, index) => parseTurn(line, source, index + 2)) };
}

function parseTurn(line: string, source: string, number: number): RecordedTurn {
  const parsed = turn.safeParse(parseLine(line, source, number));
  if (!parsed.success) throw invalid(source, number, z.prettifyError(parsed.error));
  // Events are those of the port, written by the recorder; unknown events are skipped on replay.
  const events = parsed.data.events as unknown[] as readonly (readonly [number, AgentEvent])[];
  if (!isTerminal(events.at(-1)?.[1] as AgentEvent))
    throw invalid(source, number, "its last event does not end the turn");
  return { ...parsed.data, events };
}

export function terminalOf(recorded: RecordedTurn): TerminalEvent {
  return recorded.events.at(-1)?.[1] as TerminalEvent;
}

function parseLine(line: string, source: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw invalid(source, number, messageOf(error));
  }
}

function invalid(source: string, line: number, problem: string): AtomicError {
  return new AtomicError("SCRIPT_INVALID", `The recording ${source} can't be played: line ${line}: ${problem}.`, {
    details: { source, line },
  });
}
