// The content of a file, as a short text for the hash of a tree: a digest of its bytes, cached for as long as the file
// system shows no change. Very large files and unreadable ones are identified by what the file system says about them
// (size and times), which also changes with every write.

import { type BigIntStats, closeSync, constants, lstatSync, openSync, readlinkSync, readSync } from "node:fs";
import { systemCode } from "../../lib/atomic-file.ts";
import { createSha256 } from "../../lib/sha256.ts";

/** Reading a larger file before and after every check would take longer than most checks. */
const maxBytes = 64n * 1024n * 1024n;
/** Used from one call at a time. */
const buffer = Buffer.allocUnsafe(256 * 1024);

/** A write this recent may be followed by another one with the same time stamp, so its digest is not remembered. */
const racyMs = 2000;
const maxRemembered = 100_000;
const remembered = new Map<string, { readonly stamp: string; readonly digest: string }>();

/** `gone` when there is no such file. Throws every other system error. Blocks: callers pause between files. */
export function contentDigest(path: Buffer): string {
  try {
    const stat = lstatSync(path, { bigint: true });
    if (stat.isSymbolicLink()) return `link ${readlinkSync(path, "buffer").toString("latin1")}`;
    // A pipe would never end, and a folder here is a repository with its own state.
    if (!stat.isFile()) return "other";
    return stat.size > maxBytes ? stampOf(stat) : fileDigest(path, stat);
  } catch (thrown) {
    if (isGone(thrown)) return "gone";
    throw thrown;
  }
}

/** It was removed or replaced in the meantime. */
export function isGone(thrown: unknown): boolean {
  const code = systemCode(thrown);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** No permission to read it. Whatever changes it, changes its stamp. */
export function isForbidden(thrown: unknown): boolean {
  const code = systemCode(thrown);
  return code === "EACCES" || code === "EPERM";
}

/** Changes with every write: nothing can set the last of the times back. */
export function stampOf({ size, mode, ino, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${size} ${mode} ${ino} ${mtimeNs} ${ctimeNs}`;
}

function fileDigest(path: Buffer, stat: BigIntStats): string {
  const key = path.toString("latin1");
  const stamp = stampOf(stat);
  const known = remembered.get(key);
  if (known?.stamp === stamp) return known.digest;
  const digest = digestOf(path) ?? stamp;
  if (Date.now() - Number(stat.ctimeNs / 1_000_000n) > racyMs) {
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(key, { stamp, digest });
  }
  return digest;
}

/** Undefined for a file that this user may not read. */
function digestOf(path: Buffer): string | undefined {
  let file: number;
  try {
    // Another process may have put a pipe or a link there since; neither is waited for or followed.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (isForbidden(thrown)) return undefined;
    throw thrown;
  }
  try {
    const hash = createSha256();
    for (;;) {
      const bytesRead = readSync(file, buffer, 0, buffer.length, null);
      if (bytesRead === 0) return hash.digest("hex");
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    closeSync(file);
  }
}
