// The real program in an isolated world: a temporary home, a temporary project, an environment built from nothing. What
// tests of the command line start, wait for, signal and kill.

import { afterAll } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Subprocess } from "bun";

/** Each test starts several programs, on machines that may be busy with others. */
export const patienceMs = 60_000;

/** A world may contain 100,000 files, and some disks take milliseconds to remove each. */
const removalMs = 3_600_000;

const program = process.env["ATOMIC_TEST_PROGRAM"] ?? join(import.meta.dir, "../../bin/atomic");

export type PrintedEvent = { readonly runId: string; readonly type: string; readonly seq?: number } & {
  readonly [key: string]: unknown;
};

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of stdout as events: for `--json`. */
  events(): readonly PrintedEvent[];
}

export interface Live {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What was printed so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until stdout or stderr contains the text; fails if the program ends first. */
  seen(text: string | RegExp, limitMs?: number): Promise<string>;
  signal(name: NodeJS.Signals): void;
  type(line: string): void;
  /** Ends its input. */
  end(): void;
}

/** The program at a terminal: what the terminal shows, and what is typed. */
export interface AtTerminal {
  /** Waits until the terminal shows the text. */
  seen(text: string): Promise<void>;
  type(line: string): void;
  readonly ended: Promise<{ readonly exitCode: number | null; readonly shown: string }>;
}

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: "ignore" | "pipe";
}

export interface CliWorld {
  /** What is started: bin/atomic, or what ATOMIC_TEST_PROGRAM names. */
  readonly program: string;
  readonly root: string;
  readonly home: string;
  readonly atomicHome: string;
  readonly project: string;
  readonly sessions: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes a file below the root and returns its path. Objects become JSON. */
  write(path: string, content: string | object): string;
  read(path: string): string;
  /** A workflow of the user's own: trusted. */
  workflow(name: string, source: string): string;
  script(name: string, turns: readonly object[]): string;
  start(words: readonly string[], options?: StartOptions): Live;
  run(words: readonly string[], options?: StartOptions): Promise<Ended>;
  /** Starts the program at its own terminal, which `script` makes. */
  atTerminal(words: readonly string[]): AtTerminal;
  /** The only run there is. */
  onlyRun(): string;
}

export function createCliWorld(): CliWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-cli-")));
  const live = new Set<Subprocess>();
  afterAll(() => {
    for (const child of live) child.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true });
  }, removalMs);
  const home = join(root, "home");
  const atomicHome = join(home, ".atomic");
  const project = join(root, "project");
  const sessions = join(atomicHome, "workflows", "sessions");
  for (const folder of [home, project]) mkdirSync(folder, { recursive: true });
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    TMPDIR: root,
    LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
  };

  function write(path: string, content: string | object): string {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
    return file;
  }

  function start(words: readonly string[], options: StartOptions = {}): Live {
    const child = Bun.spawn([program, ...words], {
      cwd: options.cwd ?? project,
      env: { ...env, ...options.env },
      stdin: options.stdin ?? "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    live.add(child);
    const out = collect(child.stdout);
    const err = collect(child.stderr);
    const ended = Promise.all([child.exited, out.done, err.done]).then(() => {
      live.delete(child);
      return endedOf(child.exitCode, out.text(), err.text());
    });
    return {
      pid: child.pid,
      ended,
      stdout: out.text,
      stderr: err.text,
      async seen(text, limitMs) {
        const find = (): string | undefined => [out.text(), err.text()].find((all) => holds(all, text));
        const found = await poll(
          () => find() ?? (child.exitCode === null && child.signalCode === null ? undefined : ""),
          limitMs,
        );
        if (holds(found, text)) return found;
        throw new Error(`ended without printing ${String(text)}:\n${out.text()}\n${err.text()}`);
      },
      signal: (name) => child.kill(name),
      type: (line) => {
        if (typeof child.stdin === "object" && child.stdin !== null && "write" in child.stdin) {
          void child.stdin.write(`${line}\n`);
          void child.stdin.flush();
        }
      },
      end: () => {
        if (typeof child.stdin === "object" && child.stdin !== null && "end" in child.stdin) void child.stdin.end();
      },
    };
  }

  function atTerminal(words: readonly string[]): AtTerminal {
    const command = [program, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    const child = Bun.spawn(["script", "-qec", command, "/dev/null"], {
      cwd: project,
      env: { ...env, TERM: "xterm" },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    live.add(child);
    const out = collect(child.stdout);
    return {
      async seen(text) {
        const found = await poll(() =>
          out.text().includes(text) ? true : child.exitCode === null ? undefined : false,
        );
        if (!found) throw new Error(`ended without showing ${text}:\n${out.text()}`);
      },
      type(line) {
        void child.stdin.write(`${line}\n`);
        void child.stdin.flush();
      },
      ended: Promise.all([child.exited, out.done]).then(() => {
        live.delete(child);
        return { exitCode: child.exitCode, shown: out.text() };
      }),
    };
  }

  return {
    program,
    root,
    home,
    atomicHome,
    project,
    sessions,
    env,
    write,
    read: (path) => readFileSync(join(root, path), "utf8"),
    workflow: (name, source) => write(`home/.atomic/workflows/${name}.ts`, source),
    script: (name, turns) => write(`${name}.json`, { version: 1, turns }),
    start,
    run: (words, options) => start(words, options).ended,
    atTerminal,
    onlyRun() {
      const [id, ...more] = [...new Bun.Glob("*/journal.sqlite").scanSync(sessions)].map((path) => dirname(path));
      if (id === undefined || more.length > 0) throw new Error(`${more.length + Number(id !== undefined)} runs`);
      return id;
    },
  };
}

function endedOf(exitCode: number | null, stdout: string, stderr: string): Ended {
  return {
    exitCode,
    stdout,
    stderr,
    events: () =>
      stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as PrintedEvent),
  };
}

function collect(stream: ReadableStream<Uint8Array>): { text: () => string; done: Promise<void> } {
  let text = "";
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) text += decoder.decode(bytes, { stream: true });
  };
  return { text: () => text, done: read() };
}

function holds(all: string, text: string | RegExp): boolean {
  return typeof text === "string" ? all.includes(text) : text.test(all);
}

/** Polls until there is a result. */
export async function poll<T>(ask: () => T | undefined | Promise<T | undefined>, limitMs = 15_000): Promise<T> {
  for (const until = Date.now() + limitMs; ;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > until) throw new Error("it did not happen in time");
    await Bun.sleep(10);
  }
}
