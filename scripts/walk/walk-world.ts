// The environment of the recorded walk: a small git repository, a separate home, a clock that is moved by hand, and
// gates that hold the agent's commands until the walk opens them. Nothing on the screen depends on the speed of the
// machine.

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createTmuxServer, type Pane } from "../../tests/support/tui/tmux-server.ts";

export interface WalkWorld {
  readonly project: string;
  /** Starts `atomic …` in the project. */
  open(words: readonly string[]): Pane;
  /** Advances the clock by this much. */
  pass(ms: number): void;
  /** Lets the command `check NAME` finish, now and from now on. */
  openGate(name: string): void;
  /** Ids of everything on record. */
  ids(): readonly string[];
  close(): void;
}

const projectRoot = join(import.meta.dirname, "../..");
export const size = { columns: 100, rows: 26 } as const;

/** The programs on PATH: no agent is among them, whatever this machine has. */
const programs = ["cat", "cp", "env", "git", "grep", "ln", "ls", "mkdir", "mv", "rm", "sh", "sleep", "test", "uname"];

const files = {
  "README.md": "# Parser\n\nFetches a feed and parses it.\n",
  "src/fetch.js": "export async function load(url) {\n  const answer = await fetch(url);\n  return answer.text();\n}\n",
  "src/parse.js": "export const parse = (text) => text.split(/\\n+/);\n",
} as const;

export function createWalkWorld(script: object): WalkWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-walk-")));
  const place = (path: string): string => join(root, path);
  const project = place("parser");
  const sessions = place("home/.atomic/workflows/sessions");
  let time = Date.UTC(2026, 0, 5, 13, 51);

  function write(path: string, content: string): void {
    mkdirSync(dirname(place(path)), { recursive: true });
    writeFileSync(place(path), content);
  }

  function setClock(): void {
    write("clock.new", String(time));
    renameSync(place("clock.new"), place("clock"));
  }

  const env = {
    PATH: place("bin"),
    HOME: place("home"),
    TMPDIR: place("tmp"),
    LANG: "C.UTF-8",
    TZ: "UTC",
    COLORTERM: "truecolor",
    GIT_CONFIG_NOSYSTEM: "1",
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
    BUN_OPTIONS: `--preload=${join(import.meta.dirname, "steady-clock.ts")}`,
    ATOMIC_WALK_CLOCK: place("clock"),
  };

  setClock();
  for (const folder of ["bin", "home", "tmp", "gates"]) mkdirSync(place(folder));
  for (const program of programs) symlinkSync(findProgram(program), place(`bin/${program}`));
  write("bin/check", checkCommand(place("gates")));
  chmodSync(place("bin/check"), 0o755);
  write("script.json", JSON.stringify(script));
  for (const [path, content] of Object.entries(files)) write(`parser/${path}`, content);
  write("home/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@localhost\n");
  for (const words of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "."],
    ["commit", "--quiet", "-m", "Start"],
  ]) {
    const { exitCode, stderr } = Bun.spawnSync(["git", ...words], { cwd: project, env });
    if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr.toString()}`);
  }
  const tmux = createTmuxServer(env);

  return {
    project,
    open: (words) =>
      tmux.open(
        [join(projectRoot, "bin/atomic"), ...words.map((word) => (word === "SCRIPT" ? place("script.json") : word))],
        {
          cwd: project,
          env,
          ...size,
        },
      ),
    pass(ms) {
      time += ms;
      setClock();
    },
    openGate: (name) => write(`gates/${name}`, ""),
    ids: () => readdirSync(sessions),
    close() {
      tmux.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** `check retry`: waits for its gate, then checks that src/retry.js exists. */
function checkCommand(gates: string): string {
  return `#!/bin/sh
until [ -e '${gates}'/"$1" ]; do sleep 0.05; done
[ -s "src/$1.js" ] && echo "ok  src/$1.js"
`;
}

function findProgram(name: string): string {
  const found = Bun.which(name);
  if (found === null) throw new Error(`The walk needs the program "${name}".`);
  return found;
}
