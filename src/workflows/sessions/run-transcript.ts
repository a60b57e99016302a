// The transcript of a run while it runs: what agents do and what nodes throw, into the file beside the journal, and
// folded into what the agents do at this moment.

import type { AgentProgress } from "../../agents/agent-progress.ts";
import { clip } from "../../agents/clip.ts";
import type { Clock } from "../../lib/clock.ts";
import { AgentRecorder, isLeftOut } from "../../transcript/record-agents.ts";
import { type TranscriptEntry, type TranscriptFacts, transcriptVersion } from "../../transcript/transcript-entry.ts";
import { TranscriptWriter } from "../../transcript/transcript-writer.ts";
import type { NodeError } from "../graph/run/run-control.ts";
import { toolTitle } from "../../agents/tool-title.ts";
import type { FileLineCounts } from "./changed-files.ts";
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

interface Unfolded {
  readonly facts: TranscriptFacts;
  readonly at: number;
}

const maxStackChars = 16_384;

/** Entries that are kept until the live view is looked at: they hold texts. */
const maxUnfolded = 64;

export interface RunTranscriptOptions {
  readonly clock: Clock;
  readonly redact?: ((text: string) => string) | undefined;
  /**
   * The time of the run's last record. No entry is stamped earlier: a reader takes older ones for those of turns that
   * are over, and this host's clock may be behind that of the process before.
   */
  readonly recordedAt?: (() => number) | undefined;
  /** Gets the files that a turn changed, when the entry of its end is made. */
  readonly onChanges?: ((changes: readonly FileLineCounts[]) => void) | undefined;
}

/** The file is created with its first entry: a run that never starts leaves none. */
export function openTranscript(
  folder: Pick<SessionFolder, "transcript">,
  { clock, redact, recordedAt = () => 0, onChanges }: RunTranscriptOptions,
): RunTranscript {
  // Entries are made when they are written or looked at: a few at once cost less than each by itself.
  let noted: { readonly progress: AgentProgress; readonly at: number; readonly notBefore: number }[] = [];
  /** No entry from here on is stamped earlier: entries are in order of time. */
  let notBefore = 0;
  const stampOf = (at: number): number => (notBefore = Math.max(at, notBefore));
  const takeNoted = (): void => {
    if (noted.length === 0) return;
    const taken = noted;
    noted = [];
    for (const { progress, at, notBefore: recorded } of taken) {
      notBefore = Math.max(notBefore, recorded);
      recorder.take(progress, at);
    }
  };
  const stampClock: Clock = { ...clock, now: () => stampOf(clock.now()) };
  const writer = new TranscriptWriter({ path: folder.transcript, clock: stampClock, redact, collect: takeNoted });
  let live = nothingLive;
  // A run without a viewer needs no live view.
  let unfolded: Unfolded[] = [];
  const foldLive = (): void => {
    for (const { facts, at } of unfolded) live = nextLive(live, entryOf(facts, at, redact));
    unfolded = [];
  };
  const recorder = new AgentRecorder((facts, happenedAt) => {
    const at = stampOf(happenedAt);
    writer.add(facts, at);
    unfolded.push({ facts, at });
    if (facts.type === "turn.finished") {
      unfolded = withoutEnded(unfolded, facts.turn);
      onChanges?.(facts.changes);
    }
    if (unfolded.length >= maxUnfolded) foldLive();
  }, clock);
  return {
    get live() {
      takeNoted();
      foldLive();
      return live;
    },
    onAgent(progress) {
      if (isLeftOut(progress.event)) return;
      noted.push({ progress, at: clock.now(), notBefore: recordedAt() });
      writer.flushSoon();
    },
    onNodeError({ node, key, attempt, error }) {
      takeNoted();
      notBefore = Math.max(notBefore, recordedAt());
      const message = clip(error.message, maxStackChars);
      const stack = clip(stackOf(error), maxStackChars);
      writer.add({ type: "node.failed", node, key, attempt, message, stack }, stampOf(clock.now()));
      // The process may be about to end.
      writer.flush();
    },
    flush: () => writer.flush(),
    close: () => writer.close(),
  };
}

/** An ended turn is gone from the live view, so a turn that no viewer has seen needs no folding at all. */
function withoutEnded(unfolded: readonly Unfolded[], turn: string): Unfolded[] {
  let isFolded = true;
  const left = unfolded.filter(({ facts }) => {
    if (facts.type === "turn.started" && facts.turn === turn) isFolded = false;
    return !("turn" in facts) || facts.turn !== turn;
  });
  const end = unfolded.at(-1);
  return isFolded && end !== undefined ? [...left, end] : left;
}

/** As a reader of the file gets it, with what a live view shows of it masked. */
function entryOf(facts: TranscriptFacts, at: number, redact: ((text: string) => string) | undefined): TranscriptEntry {
  const entry = { v: transcriptVersion, at, ...facts };
  if (entry.type !== "tool.started" || redact === undefined) return entry;
  return { ...entry, input: redact(toolTitle(entry.input)) };
}

/** With what caused it. */
function stackOf(error: Error): string {
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error ? `${stack}\nCaused by: ${stackOf(error.cause)}` : stack;
}
