// `atomic sessions transcript [ID]`: what the agents of a run said and did, also while it runs.

import { AtomicError } from "../../lib/errors.ts";
import { safeJson } from "../../lib/safe-json.ts";
import type { TranscriptEntry } from "../../transcript/transcript-entry.ts";
import { defineCommand } from "../command.ts";
import { findPage, idArgument } from "./find-page.ts";

export const transcriptCommand = defineCommand({
  name: "transcript",
  summary: "Print what the agents of a run were asked, said and did",
  details:
    "Every turn: its prompt, messages, reasoning where the backend shows it, tool calls with their output, files changed, and its end. Long texts are clipped; secrets are masked.",
  arguments: [idArgument],
  options: {
    task: { type: "string", value: "ID", description: "Only turns for this task" },
    follow: { type: "boolean", short: "f", description: "Keep printing until the run ends or pauses" },
    json: { type: "boolean", description: "Print the entries as they are stored, one per line" },
  },
  async run({ options, arguments: [id] }, { io, app }) {
    const { view } = await findPage(app, id);
    const { task } = options;
    if (task !== undefined && view.tasks.size > 0 && !view.tasks.has(task))
      throw new AtomicError(
        "USAGE",
        `Run ${view.id} has no task "${task}". \`atomic sessions show ${view.id}\` lists them.`,
      );
    const { createTranscriptPrinter } = await import("../print/transcript-text.ts");
    const shows = ofTask(task);
    const print = options.json ? (entry: object) => io.print(safeJson(entry)) : createTranscriptPrinter(io.print);
    let count = 0;
    const signal = options.follow ? new AbortController().signal : undefined;
    for await (const entry of app.runs.transcript(view.id, { signal })) {
      if (!shows(entry)) continue;
      count++;
      print(entry);
      if (io.isOutputClosed) return;
    }
    if (count === 0 && !options.json)
      io.warn(
        task === undefined ? `Run ${view.id} has no transcript.` : `Run ${view.id} has no turn for task "${task}".`,
      );
  },
});

function ofTask(task: string | undefined): (entry: TranscriptEntry) => boolean {
  if (task === undefined) return () => true;
  const turns = new Set<string>();
  return (entry) => {
    if (entry.type === "turn.started" && entry.task === task) turns.add(entry.turn);
    return "turn" in entry && turns.has(entry.turn);
  };
}
