// The real program at a pseudo terminal of a given size: what is typed goes in as keys, so that Ctrl+C is the
// terminal's own signal, and what comes out is rendered as a person sees it.

import { afterAll } from "bun:test";
import { type CliWorld, poll } from "../cli/cli-world.ts";
import { TerminalScreen } from "./terminal-screen.ts";

export interface Pty {
  readonly pid: number;
  readonly screen: TerminalScreen;
  /** Every byte that was written, as text. */
  bytes(): string;
  /** Waits until complete frames show this, and returns what is on the screen then. */
  seen(text: string | RegExp, limitMs?: number): Promise<readonly string[]>;
  type(keys: string): void;
  /** Closes the terminal under the program, as closing its window does. */
  close(): void;
  /** The exit code; null after a signal. Everything that was written has been read by then. */
  readonly ended: Promise<number | null>;
}

export interface PtyOptions {
  readonly columns: number;
  readonly rows?: number | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Shells draw with sequences that the screen does not know: their bytes are kept and not rendered. */
  readonly isRendered?: boolean | undefined;
}

export const ctrlC = "\x03";

export function createPtys(world: Pick<CliWorld, "project" | "env">): {
  open(command: readonly string[], options: PtyOptions): Pty;
} {
  const children = new Set<Bun.Subprocess>();
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
  });

  function open(command: readonly string[], options: PtyOptions): Pty {
    const { columns, rows = 24, isRendered = true } = options;
    const screen = new TerminalScreen(columns, rows);
    const decoder = new TextDecoder();
    let bytes = "";
    let problem: Error | undefined;
    const take = (data: Uint8Array): void => {
      const text = decoder.decode(data, { stream: true });
      bytes += text;
      try {
        if (isRendered) screen.feed(text);
      } catch (thrown) {
        // Thrown in the terminal's callback, it would be lost.
        problem ??= thrown instanceof Error ? thrown : new Error(String(thrown));
      }
    };
    const drained = Promise.withResolvers<void>();
    const child = Bun.spawn([...command], {
      cwd: options.cwd ?? world.project,
      env: { ...world.env, TERM: "xterm-256color", ...options.env },
      terminal: { cols: columns, rows, data: (_, data) => take(data), exit: () => drained.resolve() },
    });
    children.add(child);
    const { terminal } = child;
    if (terminal === undefined) throw new Error("there is no terminal");

    async function seen(text: string | RegExp, limitMs?: number): Promise<readonly string[]> {
      const shown = (): string => (isRendered ? screen.text() : Bun.stripANSI(bytes));
      // One write of the program may arrive in pieces: what is between the start and the end of a frame is not
      // compared.
      const holds = (): boolean =>
        (!isRendered || screen.isWhole()) && (typeof text === "string" ? shown().includes(text) : text.test(shown()));
      let isDrained = false;
      void drained.promise.then(() => (isDrained = true));
      const isFound = await poll(() => {
        if (problem !== undefined) throw problem;
        if (holds()) return true;
        return isDrained ? false : undefined;
      }, limitMs).catch((error: unknown) => {
        throw new Error(`${String(text)} was not shown:\n${shown()}`, { cause: error });
      });
      if (!isFound) throw new Error(`ended without showing ${String(text)}:\n${shown()}`);
      return screen.visible();
    }

    return {
      pid: child.pid,
      screen,
      bytes: () => bytes,
      seen,
      type: (keys) => void terminal.write(keys),
      close: () => terminal.close(),
      ended: Promise.all([child.exited, drained.promise]).then(() => {
        children.delete(child);
        if (problem !== undefined) throw problem;
        return child.exitCode;
      }),
    };
  }

  return { open };
}
