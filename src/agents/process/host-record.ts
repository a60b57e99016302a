// How the programs of a host process are recorded on disk: one file per host, one line of JSON. Read by the next start
// (reap-orphans.ts), and by the shell that outlives a killed host (parent-watch.ts), which relies on the single line.

import type { ProcessIdentity } from "../../lib/process-identity.ts";

/** The variable that a program's mark is in; what the program starts inherits it. */
export const markName = "ATOMIC_AGENT_MARK";

export interface ChildRecord {
  readonly mark: string;
  /** What it is, for a user: `opencode serve`. */
  readonly name: string;
  /** Absent until it runs. */
  readonly identity?: ProcessIdentity | undefined;
  /** True if it leads its own process group. */
  readonly isLeader: boolean;
  /** A temporary folder that goes with it. */
  readonly folder?: string | undefined;
}

export interface HostRecord {
  readonly version: 1;
  readonly host: ProcessIdentity;
  readonly children: readonly ChildRecord[];
}
