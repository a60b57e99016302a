// Recordings on disk: appended line by line while a run goes on, read whole to be played.

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { parseRecording, type Recording } from "./recording-format.ts";

/** Starts a new file and gives the function that appends a line to it. */
export function openRecordingFile(path: string): (line: string) => void {
  // It holds prompts and outputs: for its owner only.
  writeFileSync(path, "", { mode: 0o600 });
  return (line) => appendFileSync(path, `${line}\n`);
}

export function readRecordingFile(path: string): Recording {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    throw new AtomicError("SCRIPT_INVALID", `The recording ${path} can't be read: ${messageOf(error)}.`, {
      details: { path },
    });
  }
  return parseRecording(content, path);
}
