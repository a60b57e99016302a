// The program in its own tmux: driven by keys, seen as frames of text.

import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CliWorld, poll } from "../cli/cli-world.ts";

export const tmuxProgram = Bun.which("tmux");

export interface Pane {
  /** What the terminal shows now. */
  frame(): string;
  /** By tmux's names: `Enter`, `C-c`, `Escape`. */
  keys(...keys: readonly string[]): void;
  type(text: string): void;
  /** As a paste: bracketed, where the program asked for that. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** The frame in which it is shown. */
  seen(text: string | RegExp, limitMs?: number): Promise<string>;
  gone(text: string): Promise<string>;
  /** Of the program itself. */
  pid(): number;
}

export interface PaneOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** Panes run the given command lines, with the environment of the world. */
export function createTmux(world: Pick<CliWorld, "root" | "project" | "env">): {
  open(words: readonly string[], options?: PaneOptions): Pane;
} {
  // A name nothing had before: a process tests one file after the other, and a new server that finds the socket of one
  // that is still ending ends with it.
  const folder = mkdtempSync(join(tmpdir(), "tmux-"));
  const socket = join(folder, "socket");
  let count = 0;

  function tmux(words: readonly string[], stdin?: Buffer) {
    return Bun.spawnSync([tmuxProgram ?? "tmux", "-S", socket, ...words], {
      env: { ...world.env, TERM: "xterm-256color" },
      ...(stdin !== undefined && { stdin }),
    });
  }

  function run(...words: readonly string[]): string {
    const { stdout, stderr, exitCode } = tmux(words);
    if (exitCode !== 0) throw new Error(`tmux ${words.join(" ")}: ${stderr.toString()}`);
    return stdout.toString();
  }

  afterAll(() => {
    if (tmuxProgram !== null) tmux(["kill-server"]);
    rmSync(folder, { recursive: true });
  });

  function open(words: readonly string[], options: PaneOptions = {}): Pane {
    const name = `s${count++}`;
    const { columns = 100, rows = 30, cwd = world.project } = options;
    const env = Object.entries({ ...world.env, XDG_DATA_HOME: join(world.root, "xdg"), ...options.env }).map(
      ([key, value]) => `${key}=${value}`,
    );
    const command = ["env", ...env, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    const line = `${command}; echo "EXIT=$?"; exec cat`;
    const size = ["-x", String(columns), "-y", String(rows)];
    run("-f", "/dev/null", "new-session", "-d", "-s", name, ...size, "-c", cwd, "sh", "-c", line);
    const frame = (): string => run("capture-pane", "-p", "-t", name);

    async function until(what: string, holds: (frame: string) => boolean, limitMs?: number): Promise<string> {
      let last = "";
      return poll(() => {
        last = frame();
        return holds(last) ? last : undefined;
      }, limitMs).catch((error: unknown) => {
        throw new Error(`${what}:\n${last}`, { cause: error });
      });
    }

    return {
      frame,
      keys: (...keys) => void run("send-keys", "-t", name, ...keys),
      type: (text) => void run("send-keys", "-t", name, "-l", text),
      paste(text) {
        tmux(["load-buffer", "-b", name, "-"], Buffer.from(text));
        run("paste-buffer", "-p", "-d", "-b", name, "-t", name);
      },
      resize: (x, y) => void run("resize-window", "-t", name, "-x", String(x), "-y", String(y)),
      seen: (text, limitMs) =>
        until(
          `${String(text)} was not shown`,
          (last) => (typeof text === "string" ? last.includes(text) : text.test(last)),
          limitMs,
        ),
      gone: (text) => until(`${text} is still shown`, (last) => !last.includes(text)),
      pid() {
        const pane = run("display-message", "-p", "-t", name, "#{pane_pid}").trim();
        const [child] = Bun.spawnSync(["pgrep", "-P", pane]).stdout.toString().trim().split("\n");
        return Number(child);
      },
    };
  }

  return { open };
}
