// A separate tmux server with programs in it: driven by keys, read as frames of text. Knows no test runner.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const tmuxProgram = Bun.which("tmux");

export interface Pane {
  /** What the terminal shows now. */
  frame(): string;
  /** The same with its colours, as escape sequences. */
  styledFrame(): string;
  /** By tmux's names: `Enter`, `C-c`, `Escape`. */
  keys(...keys: readonly string[]): void;
  type(text: string): void;
  /** As a paste: bracketed, if the program requested that. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** The frame in which it is shown. */
  seen(text: string | RegExp, limitMs?: number): Promise<string>;
  gone(text: string, limitMs?: number): Promise<string>;
  /** Of the program itself. */
  pid(): number;
}

export interface PaneOptions {
  readonly cwd: string;
  /** Besides those of tmux itself. */
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

export interface TmuxServer {
  /** Runs a command line. When it has ended, the pane shows `EXIT=` and its exit code. */
  open(words: readonly string[], options: PaneOptions): Pane;
  /** Ends the server and every program in it. May be called again. */
  close(): void;
}

/** `env`: of tmux itself. */
export function createTmuxServer(env: Readonly<Record<string, string>>): TmuxServer {
  // A unique name: a new server that finds the socket of one that is still ending ends with it.
  const folder = mkdtempSync(join(tmpdir(), "tmux-"));
  const socket = join(folder, "socket");
  let count = 0;

  function tmux(words: readonly string[], stdin?: Buffer) {
    return Bun.spawnSync([tmuxProgram ?? "tmux", "-S", socket, ...words], {
      env: { ...env, TERM: "xterm-256color" },
      ...(stdin !== undefined && { stdin }),
    });
  }

  function run(...words: readonly string[]): string {
    const { stdout, stderr, exitCode } = tmux(words);
    if (exitCode !== 0) throw new Error(`tmux ${words.join(" ")}: ${stderr.toString()}`);
    return stdout.toString();
  }

  function open(words: readonly string[], { cwd, env: variables, columns = 100, rows = 30 }: PaneOptions): Pane {
    const name = `s${count++}`;
    const assignments = Object.entries(variables).map(([key, value]) => `${key}=${value}`);
    const command = ["env", ...assignments, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    const line = `${command}; echo "EXIT=$?"; exec cat`;
    const size = ["-x", String(columns), "-y", String(rows)];
    run("-f", "/dev/null", "new-session", "-d", "-s", name, ...size, "-c", cwd, "sh", "-c", line);
    const frame = (): string => run("capture-pane", "-p", "-t", name);

    async function until(what: string, holds: (frame: string) => boolean, limitMs = 15_000): Promise<string> {
      for (const end = Date.now() + limitMs; ;) {
        const last = frame();
        if (holds(last)) return last;
        if (Date.now() > end) throw new Error(`${what} within ${limitMs} ms:\n${last}`);
        await Bun.sleep(10);
      }
    }

    return {
      frame,
      styledFrame: () => run("capture-pane", "-e", "-p", "-t", name),
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
      gone: (text, limitMs) => until(`${text} is still shown`, (last) => !last.includes(text), limitMs),
      pid() {
        const pane = run("display-message", "-p", "-t", name, "#{pane_pid}").trim();
        const [child] = Bun.spawnSync(["pgrep", "-P", pane]).stdout.toString().trim().split("\n");
        return Number(child);
      },
    };
  }

  return {
    open,
    close() {
      if (tmuxProgram !== null) tmux(["kill-server"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
