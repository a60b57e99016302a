// A home with many finished runs in it, for commands that look at all of them: copies of one run, each a minute older.

import { Database } from "bun:sqlite";
import { cpSync } from "node:fs";
import { join } from "node:path";

export function copySession(sessions: string, from: string, copies: number): void {
  for (let i = 1; i <= copies; i++) {
    const id = crypto.randomUUID();
    cpSync(join(sessions, from), join(sessions, id), { recursive: true });
    const database = new Database(join(sessions, id, "journal.sqlite"));
    database.run("UPDATE runs SET run = ?", [id]);
    database.run("UPDATE appends SET at = at - ?", [i * 60_000]);
    database.close();
  }
}
