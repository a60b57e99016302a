// Ends, at once, what this process put on record in a folder: for an exit that can't wait for anybody. What escapes is
// ended by the next start.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { endGroup, processesMarked, endProcess } from "../agents/process/process-group.ts";
import { type HostRecord, markName } from "../agents/process/process-registry.ts";

export function endChildren(processesDir: string): void {
  for (const name of namesIn(processesDir)) {
    const record = readRecord(join(processesDir, name));
    if (record?.host.pid !== process.pid) continue;
    for (const { identity, isLeader, mark } of record.children) {
      if (identity !== undefined && isLeader) endGroup(identity.pid, "SIGKILL");
      for (const pid of processesMarked(markName, mark)) endProcess(pid, "SIGKILL");
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
}

/** Written by this process, a moment ago: it has the shape that process-registry.ts gave it, or it is not ours. */
function readRecord(file: string): HostRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as HostRecord;
  } catch {
    return undefined;
  }
}
