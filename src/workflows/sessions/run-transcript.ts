// The transcript of a run while it goes on: what agents do and what nodes throw, into the file beside the journal.

import type { AgentProgress } from "../../agents/agent-progress.ts";
import { clip } from "../../agents/clip.ts";
import type { Clock } from "../../lib/clock.ts";
import { AgentRecorder } from "../../transcript/record-agents.ts";
import { TranscriptWriter } from "../../transcript/transcript-writer.ts";
import type { NodeError } from "../graph/run/run-control.ts";
import type { SessionFolder } from "./session-folder.ts";

export interface RunTranscript {
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
  const recorder = new AgentRecorder((facts) => writer.add(facts), clock);
  return {
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

/** With what caused it. */
function stackOf(error: Error): string {
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error ? `${stack}\nCaused by: ${stackOf(error.cause)}` : stack;
}
