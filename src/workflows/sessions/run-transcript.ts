// The transcript of a run while it runs: what agents do and what nodes throw, into the file beside the journal, and
// folded into what the agents do at this moment.

import type { AgentProgress } from "../../agents/agent-progress.ts";
import { clip } from "../../agents/clip.ts";
import type { Clock } from "../../lib/clock.ts";
import { AgentRecorder } from "../../transcript/record-agents.ts";
import { type TranscriptEntry, type TranscriptFacts, transcriptVersion } from "../../transcript/transcript-entry.ts";
import { TranscriptWriter } from "../../transcript/transcript-writer.ts";
import type { NodeError } from "../graph/run/run-control.ts";
import { toolTitle } from "../../agents/tool-title.ts";
import { type LiveView, nextLive, nothingLive } from "./live-view.ts";
import type { SessionFolder } from "./session-folder.ts";

export interface RunTranscript {
  /** What agents of this process do now. The same object as long as that does not change. */
  readonly live: LiveView;
  onAgent(progress: AgentProgress): void;
  onNodeError(failure: NodeError): void;
  /** Everything so far can be read when it returns. */
  flush(): void;
  close(): void;
}

const mostStackChars = 16_384;

/** The file is made with its first entry: a run that never starts leaves none. */
export function openTranscript(
  folder: Pick<SessionFolder, "transcript">,
  clock: Clock,
  redact: ((text: string) => string) | undefined,
): RunTranscript {
  const writer = new TranscriptWriter({ path: folder.transcript, clock, redact });
  let live = nothingLive;
  const recorder = new AgentRecorder((facts) => {
    writer.add(facts);
    live = nextLive(live, entryOf(facts, clock, redact));
  }, clock);
  return {
    get live() {
      return live;
    },
    onAgent: (progress) => recorder.take(progress),
    onNodeError({ node, key, attempt, error }) {
      const message = clip(error.message, mostStackChars);
      writer.add({ type: "node.failed", node, key, attempt, message, stack: clip(stackOf(error), mostStackChars) });
      // The process may be about to end.
      writer.flush();
    },
    flush: () => writer.flush(),
    close: () => writer.close(),
  };
}

/** As a reader of the file gets it, with what a live view shows of it masked. */
function entryOf(
  facts: TranscriptFacts,
  clock: Clock,
  redact: ((text: string) => string) | undefined,
): TranscriptEntry {
  const entry = { v: transcriptVersion, at: clock.now(), ...facts };
  if (entry.type !== "tool.started" || redact === undefined) return entry;
  return { ...entry, input: redact(toolTitle(entry.input)) };
}

/** With what caused it. */
function stackOf(error: Error): string {
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error ? `${stack}\nCaused by: ${stackOf(error.cause)}` : stack;
}
