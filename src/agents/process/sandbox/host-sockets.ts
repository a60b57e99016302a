// Sockets of other programs on this machine: a sandbox that can read a folder could connect to those in it. The kernel
// lists the ones that are bound right now.

import { lstatSync, readFileSync } from "node:fs";
import { isInside } from "../../../lib/real-path.ts";
import { systemCode } from "../../../lib/atomic-file.ts";

export interface SeenFolders {
  /** What is below these can't be seen. */
  readonly hidden: readonly string[];
  /** Can be seen, although it is below a hidden folder. */
  readonly shown: readonly string[];
  /** May be written: sockets in it are the program's own, or the project's. */
  readonly own: readonly string[];
}

/** Real paths of sockets that are there and that a program could connect to. */
export function socketsToCover({ hidden, shown, own }: SeenFolders, table = readTable()): readonly string[] {
  const paths = new Set(table.split("\n").flatMap((line) => / (\/.+)$/.exec(line)?.[1] ?? []));
  const isIn = (path: string, folders: readonly string[]): boolean => folders.some((folder) => isInside(path, folder));
  return [...paths].filter((path) => !isIn(path, own) && (!isIn(path, hidden) || isIn(path, shown)) && isSocket(path));
}

/** Variables that lead to a program of the user: each names a socket, or a screen that takes input. */
const leading =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|DBUS_.*|GPG_AGENT_INFO|GNOME_KEYRING_.*|DOCKER_HOST|CONTAINER_HOST|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|TMUX|TMUX_PANE|STY|VSCODE_IPC_HOOK.*|KITTY_LISTEN_ON|I3SOCK|SWAYSOCK)$/;

export function withoutSockets(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) => !leading.test(name) && !(value.startsWith("/") && isSocket(value)),
    ),
  );
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;
  } catch (thrown) {
    // Inside a folder that may not be looked into: then it can't be connected to either.
    if (systemCode(thrown) === undefined) throw thrown;
    return false;
  }
}

function readTable(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return "";
  }
}
