// Recordings on disk: appended line by line during a run, read whole for replay.

import { appendFileSync, closeSync, fchmodSync, fstatSync, openSync } from "node:fs";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { readPlainFile } from "../../lib/plain-file.ts";
import { parseRecording, type Recording } from "./recording-format.ts";

/** Starts a new file and returns a function that appends a line to it. */
export function openRecordingFile(path: string): (line: string) => void {
  // It holds prompts and outputs: for its owner only, also where a file of that name was there before.
  const file = openSync(path, "w", 0o600);
  try {
    if (fstatSync(file).isFile()) fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
  return (line) => appendFileSync(path, `${line}\n`, { mode: 0o600 });
}

export function readRecordingFile(path: string): Recording {
  let content: string;
  try {
    content = readPlainFile(path).toString("utf8");
  } catch (error) {
    throw new AtomicError("SCRIPT_INVALID", `The recording ${path} can't be read: ${messageOf(error)}.`, {
      details: { path },
    });
  }
  return parseRecording(content, path);
}
