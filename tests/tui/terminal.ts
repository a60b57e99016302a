// The program at its own terminal, with every byte that it wrote. What the bytes leave switched on is read from them
// as a terminal would.

import { closeSync, constants, openSync, writeSync } from "node:fs";
import { systemCode } from "../../src/lib/atomic-file.ts";
import { poll } from "../cli/cli-world.ts";

export interface RawTerminal {
  readonly bytes: () => string;
  /** The program's own process. */
  pid(): Promise<number>;
  seen(text: string): Promise<void>;
  type(text: string): void;
  /** Stops reading and typing, like a hanging connection. The system still buffers some kilobytes for the terminal. */
  pause(): void;
  /** Fills that buffer. */
  fill(): Promise<void>;
  resume(): void;
  /** Closes the terminal under the program. */
  close(): void;
  readonly ended: Promise<number | null>;
}

export function startAtTerminal(
  command: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): RawTerminal {
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const line = `stty rows 24 cols 80; echo "PID=$$"; exec ${quoted}`;
  const child = Bun.spawn(["script", "-qec", line, "/dev/null"], {
    cwd: options.cwd,
    env: { ...options.env, TERM: "xterm-256color", SHELL: "/bin/sh" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  let text = "";
  const read = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stdout) text += decoder.decode(bytes, { stream: true });
  })();
  const pid = async (): Promise<number> => Number(await poll(() => /PID=(\d+)/.exec(text)?.[1]));
  return {
    bytes: () => text,
    pid,
    async seen(wanted) {
      await poll(() => (text.includes(wanted) ? true : child.exitCode === null ? undefined : true));
      if (!text.includes(wanted)) throw new Error(`ended without showing ${wanted}:\n${text}`);
    },
    type(typed) {
      void child.stdin.write(typed);
      void child.stdin.flush();
    },
    pause: () => child.kill("SIGSTOP"),
    fill: async () => fill(`/proc/${await pid()}/fd/1`),
    resume: () => child.kill("SIGCONT"),
    close: () => child.kill("SIGKILL"),
    ended: Promise.all([child.exited, read]).then(() => child.exitCode),
  };
}

/** With bytes that a terminal ignores. */
function fill(path: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    for (;;) writeSync(file, new Uint8Array(4096));
  } catch (thrown) {
    if (systemCode(thrown) !== "EAGAIN") throw thrown;
  } finally {
    closeSync(file);
  }
}

/** What is on at the end: private modes, the kitty stack, and whether the cursor is hidden. */
export function leftOn(bytes: string): readonly string[] {
  const sequences = bytes.split("\x1b").slice(1);
  const on = new Set<string>();
  let isCursorHidden = false;
  let pushed = 0;
  for (const sequence of sequences) {
    const [, modes = "", set] = /^\[\?([\d;]+)([hl])/.exec(sequence) ?? [];
    for (const mode of modes.split(";").filter((each) => each !== "")) {
      if (mode === "25") isCursorHidden = set === "l";
      // Wrapping is on by default.
      else if (set === "h" && mode !== "7") on.add(mode);
      else on.delete(mode);
    }
    if (/^\[>\d+u/.test(sequence)) pushed++;
    if (/^\[<\d*u/.test(sequence)) pushed--;
  }
  return [...on, ...(isCursorHidden ? ["cursor hidden"] : []), ...(pushed > 0 ? ["kitty keys"] : [])];
}
