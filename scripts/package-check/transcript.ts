// Does what a user does first with one form of the program, and keeps everything it printed. Each form gets the same
// folders with the same names, one after the other, so that its output can be compared with another form's byte by
// byte: only ids, times and durations are replaced, because they differ from run to run.

import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun, runCommand } from "../run-command.ts";
import { projectRoot } from "./packed.ts";

export interface Entry {
  readonly title: string;
  readonly text: string;
}

/** A folder with a home, a git repository and the programs that the demo's checks call; created anew for each form. */
export interface Place {
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

const maxCommandMs = 120_000;

export async function makePlace(folder: string): Promise<Place> {
  rmSync(folder, { recursive: true, force: true });
  const [home, project, programs, temp] = ["home", "project", "programs", "tmp"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const each of [home, project, programs, temp]) mkdirSync(each, { recursive: true });
  symlinkSync(process.execPath, join(programs, "bun"));
  const env = {
    PATH: [programs, "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: home,
    TMPDIR: temp,
    TERM: "dumb",
    LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    // The hash of a commit is part of what is compared.
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((who) => [
        [`GIT_${who}_NAME`, "Newcomer"],
        [`GIT_${who}_EMAIL`, "newcomer@localhost"],
        [`GIT_${who}_DATE`, "2026-01-01T00:00:00Z"],
      ]),
    ),
  };
  await mustRun(["git", "init", "--quiet"], { cwd: project, env });
  await mustRun(["git", "commit", "--quiet", "--allow-empty", "-m", "Start"], { cwd: project, env });
  // The demo's own script, without the checkout around it.
  cpSync(join(projectRoot, "demo/snake/script.ts"), join(folder, "snake.ts"));
  return { project, env };
}

interface Typed {
  readonly exitCode?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export async function writeTranscript(program: string, folder: string): Promise<readonly Entry[]> {
  const { project, env } = await makePlace(folder);
  const entries: Entry[] = [];
  /** Types a command, which must end with the exit code. Returns what it printed on standard output. */
  async function type(words: readonly string[], { exitCode = 0, env: more = {} }: Typed = {}): Promise<string> {
    const options = { cwd: project, env: { ...env, ...more }, timeoutMs: maxCommandMs };
    const done = await runCommand([program, ...words], options);
    const text = `--- exit code ${done.exitCode}\n--- stdout\n${done.stdout}--- stderr\n${done.stderr}`;
    const variables = Object.entries(more).map(([name, value]) => `${name}=${value} `);
    const title = `${variables.join("")}atomic ${words.join(" ")}`;
    if (done.exitCode !== exitCode) throw new Error(`\`${title}\` must end with ${exitCode}:\n${text}`);
    entries.push({ title: withoutChance(title), text: withoutChance(text) });
    return done.stdout;
  }

  for (const words of [["--version"], ["--help"], ["--licenses"], ["run", "--help"], ["ralph", "--help"], ["doctor"]]) {
    await type(words);
  }
  await type(["init"]);
  await type(["init"]);
  await type(["run", "hello", "Zoë ✓ 👩‍💻"]);
  await type(["run", "hello", "--shout", "--json"]);
  await type(["run", "hello", "Zoë", "--quiet"]);
  // Output is UTF-8 in every locale, as in git and Node.
  for (const locale of [{ LC_ALL: "C" }, { LC_ALL: "POSIX" }, { LC_ALL: "", LANG: "de_DE.ISO-8859-1" }]) {
    const help = await type(["--help"], { env: locale });
    if (!help.includes("ATOMIC_…")) throw new Error(`--help is garbled in the locale ${JSON.stringify(locale)}.`);
    await type(["run", "hello", "Zoë ✓"], { env: locale });
  }
  await type(["workflows"]);
  await type(["workflows", "show", "hello"]);
  await type(["workflows", "validate"]);
  await type(["workflows", "graph", "hello"]);
  await type(["workflows", "graph", "ralph"]);
  for (const list of ["agents", "skills", "commands", "config"]) await type([list]);
  await type(["trust"], { exitCode: 1 });
  await type(["skills", "commit"]);
  writeFileSync(join(project, "empty.json"), '{ "version": 1, "turns": [] }\n');
  await type(["test", ".atomic/workflows/hello.ts", "--script", "empty.json"]);
  // One worker: the output of three at once comes in a different order each time.
  const script = ["--agent", "scripted", "--script", join(folder, "snake.ts")];
  await type(["ralph", "Build a snake game for the terminal in TypeScript", "--workers", "1", ...script]);
  entries.push({ title: "src/main.ts", text: readFileSync(join(project, "src/main.ts"), "utf8") });
  const sessions = await type(["sessions"]);
  const id = anId.exec(sessions)?.[0] ?? "";
  await type(["sessions", "show", id]);
  await type(["resume", id]);
  await type(["run", "no-such-workflow"], { exitCode: 2 });
  await type(["run", "hello", "--no-such-flag"], { exitCode: 2 });
  return entries;
}

const anId = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/;

/** Ids, times and durations, with the blanks that align what follows them. */
function withoutChance(text: string): string {
  return text
    .replaceAll(new RegExp(anId, "g"), "<id>")
    .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?/g, "<time>")
    .replace(/\b1[78]\d{11}\b/g, "<time>")
    .replace(/\b(\w+Ms)("?[:=])\d+/g, "$1$2<duration>")
    .replace(/\b(\d+(\.\d+)? ?(ms|s|min|m)\b ?)+(ago +)?/g, "<duration>")
    .replace(/UPDATED +/g, "UPDATED ");
}
