// The kind of file system a folder is on: whether other machines may use it at the same time, and whether memory can be
// shared through its files. Known on Linux only.

import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./atomic-file.ts";

export interface FileSystemKind {
  /** For people: `nfs`. Empty when it is not known. */
  readonly name: string;
  /** `local`: only this machine uses it. `remote`: others may, or a program serves it (FUSE, shared folders). */
  readonly place: "local" | "remote" | "unknown";
}

const unknown: FileSystemKind = { name: "", place: "unknown" };

/** Numbers from the kernel's `linux/magic.h` and the file systems' own sources. */
const local: Readonly<Record<number, string>> = {
  0xef53: "ext4",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x2fc12fc1: "zfs",
  0xf2f52010: "f2fs",
  0xca451a4e: "bcachefs",
  0x3153464a: "jfs",
  0x01021994: "tmpfs",
  0x858458f6: "ramfs",
  0x794c7630: "overlay",
  0x4d44: "vfat",
  0x2011bab0: "exfat",
  0x7366746e: "ntfs",
};

const remote: Readonly<Record<number, string>> = {
  0x6969: "nfs",
  0x517b: "smb",
  0xfe534d42: "smb",
  0xff534d42: "cifs",
  0x65735546: "fuse",
  0x01021997: "9p",
  0x00c36400: "ceph",
  0x5346414f: "afs",
  0x6b414653: "afs",
  0x0bd00bd0: "lustre",
  0x47504653: "gpfs",
  0x786f4256: "vboxsf",
};

/** The file system of the folder, or of its nearest existing parent. */
export function fileSystemOf(path: string): FileSystemKind {
  if (process.platform !== "linux") return unknown;
  try {
    // Some numbers are above 2³¹ and negative on some runtimes.
    const type = Number(BigInt.asUintN(32, BigInt(statfsSync(path).type)));
    const [near, far] = [local[type], remote[type]];
    if (near !== undefined) return { name: near, place: "local" };
    return far === undefined ? unknown : { name: far, place: "remote" };
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    return isMissing && dirname(path) !== path ? fileSystemOf(dirname(path)) : unknown;
  }
}
