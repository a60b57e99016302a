// Ends the programs of this process when it dies without a chance to do so itself: kill -9, a crash, or the kernel
// running out of memory. A small shell waits at a pipe that only this process holds open. When the pipe closes without
// data, it reads the records of process-registry.ts and ends what they name: groups first, then what carries a mark,
// as far as the system lets it see that. What it misses is ended by the next start (reap-orphans.ts).
//
// There is one for each folder of records, whatever the number of registries: it is started with the first program and
// leaves some time after the last one.

import { spawn, type ChildProcess } from "node:child_process";
import { markName } from "./host-record.ts";

export interface ParentWatch {
  /** A program is about to be put on record in the folder. */
  add(folder: string): void;
  /** The folder holds one program less. */
  remove(folder: string): void;
}

interface Watcher {
  /** Absent where there is no shell: then the next start ends what is left. */
  readonly child: ChildProcess | undefined;
  programs: number;
  idle: ReturnType<typeof setTimeout> | undefined;
}

/** Until then another program finds it still there. */
const idleMs = 2000;

/**
 * Records are JSON that we wrote in one line: a child begins with its mark, and quotes in texts are escaped. The folder
 * comes encoded: what looks for processes by a folder's name should not find this one.
 */
const script = `
while IFS= read -r line; do [ "$line" = bye ] && exit 0; done
trap '' HUP INT QUIT TERM
records=$(printf %b "$1")

children() {
  for file in "$records"/*.json; do
    [ -O "$file" ] && [ ! -L "$file" ] || continue
    grep -q "\\"host\\":{\\"pid\\":$PPID," "$file" 2>/dev/null || continue
    sed -e 's/.*"children"://' -e 's/{"mark"/\\
&/g' "$file" | grep '^{"mark"'
  done
}
field() { printf '%s\\n' "$child" | sed -n "s/.*\\"$1\\":\\"*\\([^\\",}]*\\).*/\\1/p"; }

# Another start time is another process.
is_ours() {
  if [ -r /proc/self/stat ]; then
    now=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20)
  else
    now=$(LC_ALL=C TZ=UTC ps -o lstart= -p "$1" 2>/dev/null | sed 's/^ *//; s/ *$//')
  fi
  [ -z "$now" ] || [ "$now" = "$2" ]
}
signal_groups() {
  children | while IFS= read -r child; do
    pid=$(field pid)
    [ -n "$pid" ] && is_ours "$pid" "$(field started)" && kill -s "$1" -- "-$pid" 2>/dev/null && echo "$pid"
  done
}

rounds=0
signal_groups TERM > /dev/null
while [ $rounds -lt 30 ] && [ -n "$(signal_groups 0)" ]; do
  sleep 0.1
  rounds=$((rounds + 1))
done
signal_groups KILL > /dev/null
children | while IFS= read -r child; do
  for file in $(grep -lsxzF "${markName}=$(field mark)" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}
    kill -s KILL "\${pid%/environ}" 2>/dev/null
  done
  folder=$(field folder)
  case $folder in
    /*/atomic-opencode-??????) [ -O "$folder" ] && [ ! -L "$folder" ] && rm -rf -- "$folder" ;;
  esac
done
`;

const watchers = new Map<string, Watcher>();

/** Those of this process. */
export const parentWatch: ParentWatch = {
  add(folder) {
    const watcher = watchers.get(folder) ?? { child: start(folder), programs: 0, idle: undefined };
    watchers.set(folder, watcher);
    watcher.programs++;
    clearTimeout(watcher.idle);
  },
  remove(folder) {
    const watcher = watchers.get(folder);
    if (watcher === undefined || --watcher.programs > 0) return;
    watcher.idle = setTimeout(() => {
      watchers.delete(folder);
      watcher.child?.stdin?.end("bye\n");
    }, idleMs);
    watcher.idle.unref();
  },
};

function start(folder: string): ChildProcess | undefined {
  if (process.platform === "win32") return undefined;
  const encoded = [...Buffer.from(folder)].map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
  // Nothing of the project or of the user in its environment: it only looks for processes.
  const child = spawn("/bin/sh", ["-c", script, "atomic-watch", encoded], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin:/run/current-system/sw/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Without it, the next start ends what is left.
  child.once("error", () => {});
  child.stdin.on("error", () => {});
  // It waits for this process, and not the other way round.
  child.unref();
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  return child;
}
