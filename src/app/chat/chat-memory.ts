// What a user typed, kept between chats: a history over all projects, and the draft of each folder, which survives a
// crash. Secrets of the environment are masked. If the disk can't be written, only the memory is lost, never the chat.

import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isSystemError, writeFileAtomically } from "../../lib/atomic-file.ts";
import { createSha256 } from "../../lib/sha256.ts";

export interface ChatMemory {
  /** The newest first, each once. */
  history(): readonly string[];
  add(line: string): void;
  readonly draft: string;
  saveDraft(text: string): void;
}

export interface ChatMemoryOptions {
  readonly atomicHome: string;
  readonly projectDir: string;
  readonly redact: ((text: string) => string) | undefined;
}

const keptLines = 1000;
const maxLineChars = 10_000;

export function createChatMemory({ atomicHome, projectDir, redact }: ChatMemoryOptions): ChatMemory {
  const folder = join(atomicHome, "chat");
  const historyFile = join(folder, "history.jsonl");
  const draftFile = join(folder, `draft-${createSha256().update(projectDir).digest("hex").slice(0, 16)}.txt`);
  const masked = (text: string): string => redact?.(text) ?? text;
  let lines: readonly string[] | undefined;

  const history = (): readonly string[] => (lines ??= parseHistory(read(historyFile)));

  return {
    history,
    add(line) {
      if (line.length > maxLineChars) return;
      const kept = masked(line);
      lines = [kept, ...history().filter((each) => each !== kept)].slice(0, keptLines);
      attempt(() => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        appendFileSync(historyFile, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
      });
    },
    draft: read(draftFile),
    saveDraft(text) {
      attempt(() => {
        if (text === "") return rmSync(draftFile, { force: true });
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileAtomically(draftFile, masked(text));
      });
    },
  };
}

function parseHistory(text: string): readonly string[] {
  const lines = text
    .split("\n")
    .filter((line) => line !== "")
    .flatMap(parseLine);
  return [...new Set(lines.toReversed())].slice(0, keptLines);
}

/** A line that a crash cut in two is left out. */
function parseLine(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? [value] : [];
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return "";
  }
}

function attempt(write: () => void): void {
  try {
    write();
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
  }
}
