// The few calls of the C library that Bun does not wrap. Loaded on first use, which takes about a millisecond.
// Undefined under Node, on Windows, and where the library can't be loaded: callers then use a fallback.
//
// The library is named by its full path: Bun also looks for a bare name in the current folder, which is not trusted.

import { readFileSync } from "node:fs";

export interface Libc {
  /** Each returns −1 when it fails. */
  dup(fd: number): number;
  dup2(from: number, to: number): number;
  flock(fd: number, operation: number): number;
  /** Requests and commands without a third argument only: those are passed differently on some processors. */
  ioctl(fd: number, request: number): number;
  fcntl(fd: number, command: number): number;
}

let loaded: { readonly libc: Libc | undefined } | undefined;

export function loadLibc(): Libc | undefined {
  loaded ??= { libc: open(libraryPath()) };
  return loaded.libc;
}

function libraryPath(): string | undefined {
  if (process.versions["bun"] === undefined) return undefined;
  if (process.platform === "darwin") return "/usr/lib/libSystem.B.dylib";
  return process.platform === "linux" ? mappedLibrary() : undefined;
}

/** The library that this process has loaded: glibc or musl, wherever the system keeps it. */
function mappedLibrary(): string | undefined {
  try {
    const maps = readFileSync("/proc/self/maps", "utf8");
    return /\s(\/\S*\/(?:libc\.so\.6|libc-2[\d.]+\.so|ld-musl-[^/\s]+\.so\.1|libc\.musl-[^/\s]+\.so\.1))$/m.exec(
      maps,
    )?.[1];
  } catch (thrown) {
    // No /proc, or no permission to read it.
    if (thrown instanceof Error && "code" in thrown) return undefined;
    throw thrown;
  }
}

function open(path: string | undefined): Libc | undefined {
  if (path === undefined) return undefined;
  const { dlopen, FFIType } = process.getBuiltinModule("bun:ffi") as typeof import("bun:ffi");
  const { i32, u64 } = FFIType;
  try {
    return dlopen(path, {
      dup: { args: [i32], returns: i32 },
      dup2: { args: [i32, i32], returns: i32 },
      flock: { args: [i32, i32], returns: i32 },
      ioctl: { args: [i32, u64], returns: i32 },
      fcntl: { args: [i32, i32], returns: i32 },
    }).symbols;
  } catch (thrown) {
    // Systems that forbid programs to generate code fail with this error.
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ERR_DLOPEN_FAILED") return undefined;
    throw thrown;
  }
}
