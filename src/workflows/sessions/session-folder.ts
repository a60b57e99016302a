// Where a run keeps its files: one folder per run, named by its id. Owns the layout, and rejects ids and folders
// that are not ours; nothing is touched before an id was checked.

import { existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { isSystemError } from "../../lib/atomic-file.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Ids are random UUIDs. Anything else is refused before a file is touched. */
function parseSessionId(written: string): string {
  const id = written.trim().toLowerCase();
  if (uuid.test(id)) return id;
  const shown = written.length > 60 ? `${written.slice(0, 60)}…` : written;
  throw new AtomicError(
    "RUN_ID_INVALID",
    `${JSON.stringify(shown)} is not the id of a run. Ids look like a1b2c3d4-e5f6-7890-abcd-ef1234567890; \`atomic sessions\` lists them.`,
  );
}

export function isSessionId(name: string): boolean {
  return uuid.test(name);
}

export interface SessionFolder {
  readonly id: string;
  readonly dir: string;
  readonly journal: string;
  readonly session: string;
  /** What lists show of it: src/app/summary-cache.ts. */
  readonly summary: string;
  /** Its view after some event: view-snapshot.ts. */
  readonly view: string;
  /** The same while the run has no folder on this machine; absent where no other machine uses the store. */
  readonly readerView?: string;
  readonly tasks: string;
  readonly featureList: string;
  readonly progress: string;
  readonly checkpoints: string;
  readonly research: string;
  readonly logs: string;
  readonly agentCalls: string;
  /** What agents said and did: src/transcript. */
  readonly transcript: string;
  readonly errors: string;
  /** What the run started, for the reaper. */
  readonly processes: string;
  /** The memory of an agent without its own program; created on first use. */
  readonly memory: string;
}

export function sessionFolder(sessionsDir: string, written: string): SessionFolder {
  const id = parseSessionId(written);
  const dir = join(sessionsDir, id);
  const logs = join(dir, "logs");
  return {
    id,
    dir,
    journal: join(dir, "journal.sqlite"),
    session: join(dir, "session.json"),
    summary: join(dir, "summary.json"),
    view: join(dir, "view.json"),
    tasks: join(dir, "tasks.json"),
    featureList: join(dir, "feature-list.json"),
    progress: join(dir, "progress.txt"),
    checkpoints: join(dir, "checkpoints"),
    research: join(dir, "research"),
    logs,
    agentCalls: join(logs, "agent-calls.jsonl"),
    transcript: join(dir, "transcript.jsonl"),
    errors: join(logs, "errors.log"),
    processes: join(dir, "processes"),
    memory: join(dir, "memory"),
  };
}

/**
 * Makes the folder that holds all runs, if it is missing. In a repository (`.ralph/sessions`) runs are not part of
 * its work: nothing to keep safe, to compare or to commit.
 */
export function createSessionsDir(sessionsDir: string): void {
  if (existsSync(sessionsDir)) return;
  mkdirSync(sessionsDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(sessionsDir, ".gitignore"), "*\n");
}

/** Makes the folder of a new run, for this user only. */
export function createSessionFolder(folder: SessionFolder): void {
  try {
    createSessionsDir(dirname(folder.dir));
    for (const dir of [folder.dir, folder.checkpoints, folder.research, folder.logs, folder.processes]) {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
    }
  } catch (cause) {
    throw new AtomicError(
      "JOURNAL_WRITE_FAILED",
      `The folder of the run can't be made: ${messageOf(cause)}. Nothing was started. Make room or give yourself the right to write there, or keep runs elsewhere: set ATOMIC_HOME, or the setting sessions.dir.`,
      { cause, details: { path: folder.dir } },
    );
  }
}

/** A link in place of the folder, or of something in it, could make us read and write anywhere. */
export function refuseLinks(folder: SessionFolder): void {
  for (const path of Object.values(folder).filter((value) => value !== folder.id)) {
    if (!isLink(path)) continue;
    throw new AtomicError(
      "JOURNAL_CORRUPT",
      `${path} is a symbolic link, and nothing in a run's folder is. Put the real thing back in its place, or remove the link.`,
      { details: { path } },
    );
  }
}

/** A path that can't be read is not a link that could be followed; opening it reports the reason. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  }
}
