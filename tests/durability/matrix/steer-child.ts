// The program that the steering tests start and kill: cancels or forks a run of a session store, and dies around a chosen
// write. Its one argument is a SteerTask as JSON.

import { writeSync } from "node:fs";
import { cancelStopped } from "../../../src/workflows/sessions/cancel-stopped.ts";
import { forkRun } from "../../../src/workflows/sessions/fork-run.ts";
import { SessionStore } from "../../../src/workflows/sessions/session-store.ts";
import { type Kill, KillingStore } from "./killing-store.ts";
import { stillClock } from "./child.ts";

export interface SteerTask {
  readonly action: "cancel" | "fork";
  readonly dir: string;
  readonly run: string;
  /** The new run of a fork, and where it begins. */
  readonly into: string;
  readonly from: string;
  readonly kill?: Kill;
}

async function steer({ action, dir, run, into, from, kill }: SteerTask): Promise<number> {
  const sessions = new SessionStore({ dir });
  const store = new KillingStore(sessions, kill);
  if (action === "fork") await forkRun(store, { run, into, from }, async () => undefined);
  else {
    const { open, read } = { open: store.open.bind(store), read: store.read };
    await cancelStopped({ open, read, folder: (id) => sessions.folder(id) }, run, stillClock);
  }
  return store.writes;
}

if (import.meta.main) {
  const writes = await steer(JSON.parse(process.argv[2] ?? "") as SteerTask);
  writeSync(1, String(writes));
}
