// Requests as files in `requests/`, one each, moved into place when complete. Their names sort by time.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic-file.ts";
import { AtomicError } from "../../lib/errors.ts";
import { namesIn } from "../../lib/names-in.ts";
import type { PendingRequest, RunRequest } from "../port.ts";
import { parseRunRequest } from "../run-request.ts";
import { isRealFolder, requestsPath, type RunFolder, withFile } from "./run-folder.ts";

const requestName = /^(\d{14}-\d{6}-[0-9a-f-]{36})\.json$/;

// Keeps the order of requests that one process leaves within a millisecond.
let count = 0;

export function writeRequest(folder: RunFolder, request: RunRequest, at: number): void {
  const path = requestsPath(folder);
  if (!isRealFolder(folder, path)) mkdirSync(path, { mode: 0o700, recursive: true });
  count = (count + 1) % 1_000_000;
  const id = `${String(at).padStart(14, "0")}-${String(count).padStart(6, "0")}-${crypto.randomUUID()}`;
  writeFileAtomically(join(path, `${id}.json`), `${JSON.stringify(request)}\n`);
}

/** Requests that are not in `seen`, oldest first. Adds every name it looked at to `seen`. */
export function newRequests(folder: RunFolder, seen: Set<string>): readonly PendingRequest[] {
  const found: PendingRequest[] = [];
  for (const name of namesIn(requestsPath(folder)).toSorted()) {
    const id = requestName.exec(name)?.[1];
    if (id === undefined || seen.has(id)) continue;
    seen.add(id);
    const request = readRequest(folder, name);
    if (request !== undefined) found.push({ ...request, id });
  }
  return found;
}

export function removeRequest(folder: RunFolder, id: string): void {
  const name = `${id}.json`;
  if (requestName.test(name)) rmSync(join(requestsPath(folder), name), { force: true });
}

function readRequest(folder: RunFolder, name: string): RunRequest | undefined {
  try {
    return parseRunRequest(withFile(folder, join(requestsPath(folder), name), (fd) => readFileSync(fd, "utf8")));
  } catch (error) {
    // A link, or already removed: not a request. The run does not depend on it.
    if (AtomicError.is(error, "JOURNAL_CORRUPT")) return undefined;
    throw error;
  }
}
