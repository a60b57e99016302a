// Ends, at once, the processes this process recorded in a folder: for an exit that can't wait. What escapes is
// ended by the next start.

import { endGroup, endProcess, processesMarked } from "../agents/process/process-group.ts";
import { readProcessRecord, recordFiles } from "../agents/process/process-records.ts";
import { markName } from "../agents/process/host-record.ts";
import { currentProcess, livenessOf, type ProcessIdentity } from "../lib/process-identity.ts";

export function endChildren(processesDir: string): void {
  for (const file of recordFiles(processesDir)) {
    const record = readProcessRecord(file);
    // Another process that had the same pid wrote this record: the children are not ours.
    if (record === undefined || !isThis(record.host)) continue;
    for (const { identity, isLeader, mark } of record.children) {
      if (identity !== undefined && isLeader && livenessOf(identity) === "alive") endGroup(identity.pid, "SIGKILL");
      for (const pid of processesMarked(markName, mark)) endProcess(pid, "SIGKILL");
    }
  }
}

function isThis(host: ProcessIdentity): boolean {
  const here = currentProcess();
  const keys = ["pid", "host", "started", "machine", "boot", "namespace"] as const;
  return keys.every((key) => host[key] === here[key]);
}
