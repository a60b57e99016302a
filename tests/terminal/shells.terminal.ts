// Completion in the shells themselves: the script that `atomic completion` prints is loaded, and Tab is pressed.

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createPtys } from "./pty.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
for (const name of ["shipit", "shipall"])
  world.workflow(
    name,
    `import { createNode, graph } from "atomic/workflows";
export const name = "${name}";
export const description = "Ships: it's all";
export const prompt = "none";
export default () => graph().start(createNode({ id: "only", execute: async () => ({}) }));
`,
  );
const bin = join(world.root, "bin");
mkdirSync(bin, { recursive: true });
symlinkSync(world.program, join(bin, "atomic"));
const path = `${bin}:${world.env["PATH"] ?? ""}`;
const ptys = createPtys({ project: world.project, env: { ...world.env, PATH: path, PS1: "READY> " } });
const limitMs = 30_000;

/** Types `line` and Tab at the shell's prompt, and waits for what it becomes. */
async function completes(
  command: readonly string[],
  load: string,
  cases: readonly (readonly [typed: string, shown: RegExp])[],
): Promise<void> {
  const shell = ptys.open(command, { columns: 200, isRendered: false });
  // Said by the shell and not by the echo of what is typed.
  shell.type(`${load}; echo LOAD''ED\r`);
  await shell.seen("LOADED", limitMs);
  for (const [typed, shown] of cases) {
    const from = shell.bytes().length;
    shell.type(`${typed}\t`);
    await shell.seen(
      new RegExp(`^[^]{${Bun.stripANSI(shell.bytes().slice(0, from)).length}}[^]*${shown.source}`),
      limitMs,
    );
    // Ctrl+U: an empty line for the next one.
    shell.type("\x15");
  }
  shell.type("exit\r");
  await shell.ended;
}

const cases = [
  ["atomic sess", /sessions /],
  ["atomic run shipi", /shipit /],
  ["atomic run shipit --max-co", /--max-cost /],
  ["atomic run shipit --agent openc", /opencode /],
] as const;

test.skipIf(Bun.which("bash") === null)("bash completes commands, names, options and values", () =>
  completes(["bash", "--norc", "--noprofile", "-i"], 'eval "$(atomic completion bash)"', cases),
);

test.skipIf(Bun.which("zsh") === null)("zsh completes them too, with descriptions", () =>
  completes(["zsh", "-f", "-i"], 'autoload -Uz compinit; compinit -u -D; eval "$(atomic completion zsh)"', [
    ...cases,
    ["atomic run ship\t", /shipall +shipit +-- Ships: it's all/],
  ]),
);

test.skipIf(Bun.which("fish") === null)("fish completes them too, with descriptions", async () => {
  mkdirSync(join(world.home, ".config/fish/completions"), { recursive: true });
  const install = "atomic completion fish > ~/.config/fish/completions/atomic.fish";
  const asked = ["atomic sess", "atomic run ship", "atomic run shipit --max-co", "atomic run shipit --agent op"];
  const lines = [install, ...asked.map((line) => `complete -C "${line}"`)].join("\n");
  const child = Bun.spawn(["fish", "-c", lines], {
    cwd: world.project,
    env: { ...world.env, PATH: path },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(err).toBe("");
  expect(out.split("\n").filter((line) => line !== "")).toEqual([
    "sessions\tList, show and remove runs",
    "shipall\tShips: it's all",
    "shipit\tShips: it's all",
    "--max-cost\tstop after spending this much; none = no limit",
    "opencode",
  ]);
});

test.skipIf(Bun.which("pwsh") === null)("PowerShell completes them too", async () => {
  const lines = [
    "atomic completion powershell | Out-String | Invoke-Expression",
    ...cases.map(([typed]) => `(TabExpansion2 '${typed}' ${typed.length}).CompletionMatches.CompletionText`),
  ].join("\n");
  const child = Bun.spawn(["pwsh", "-NoProfile", "-NonInteractive", "-Command", lines], {
    cwd: world.project,
    env: { ...world.env, PATH: path },
    stdin: "ignore",
    stdout: "pipe",
  });
  expect((await new Response(child.stdout).text()).trim().split(/\r?\n/)).toEqual([
    "sessions",
    "shipit",
    "--max-cost",
    "opencode",
  ]);
});
