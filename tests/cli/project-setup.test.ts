// Commands that write: trust, init, config and tasks migrate, through the real command line.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld } from "./cli-world.ts";

const world = createCliWorld();

const source = `import { graph, toolNode } from "atomic/workflows";
export default () => graph().start(toolNode({ id: "a", execute: () => 1 }));`;

function createProject(name: string) {
  world.write(`${name}/.atomic/workflows/w.ts`, source);
  return (...words: string[]) => world.run(words, { cwd: join(world.root, name) });
}

async function typeAt(words: readonly string[], folder: string, answer: string): Promise<string> {
  let printed = "";
  const child = Bun.spawn([world.program, ...words], {
    cwd: join(world.root, folder),
    env: world.env,
    terminal: {
      cols: 100,
      rows: 40,
      data(terminal, bytes) {
        printed += new TextDecoder().decode(bytes);
        if (printed.endsWith("[y/N] ")) terminal.write(`${answer}\n`);
      },
    },
  });
  await child.exited;
  return printed;
}

test("what was trusted is remembered until it changes, and the change is shown", async () => {
  const other = createProject("trusting");
  expect((await other("workflows", "validate", "w")).exitCode).toBe(1);
  const yes = await other("trust", "--yes");
  expect(yes.stdout).toContain("Trusted: workflow w, settings of the project.");
  expect((await other("trust")).stdout).toContain("Everything is trusted");
  expect((await other("workflows", "validate", "w")).exitCode).toBe(0);
  world.write("trusting/.atomic/workflows/w.ts", `${source}\nexport const version = "2.0.0";\n`);
  const changed = await other("trust");
  expect(changed.stdout).toContain("changed since it was trusted");
  expect(changed.stdout).toContain(`│ + export const version = "2.0.0";`);
  expect(changed.stdout).not.toContain("│ + export default");
  expect((await other("workflows", "validate", "w")).stdout).toContain("has changed since it was trusted");
  expect((await other("trust", "--yes", ".atomic/workflows/w.ts")).exitCode).toBe(0);
  expect((await other("trust", "--forget")).stdout).toContain("Forgotten");
  expect((await other("workflows", "validate", "w")).exitCode).toBe(1);
});

test("trust is asked for at a terminal, and only a yes counts", async () => {
  createProject("asking");
  const answers = { y: "Trusted: workflow w.", "": "Not trusted: workflow w." };
  for (const [answer, result] of Object.entries(answers)) {
    const printed = await typeAt(["trust", ".atomic/workflows/w.ts"], "asking", answer);
    expect(printed).toContain("export default");
    expect(printed).toContain(result);
    const { exitCode } = await world.run(["workflows", "validate", "w"], { cwd: join(world.root, "asking") });
    expect(exitCode).toBe(answer === "y" ? 0 : 1);
    await world.run(["trust", "--forget"], { cwd: join(world.root, "asking") });
  }
});

test("init makes a first workflow that runs, once, with types that compile", async () => {
  const fresh = join(world.root, "fresh");
  world.write("fresh/README.md", "hi");
  const atomic = (...words: string[]) => world.run(words, { cwd: fresh });
  const first = await atomic("init", "--json");
  expect(JSON.parse(first.stdout)).toMatchObject({ kept: [], updated: [] });
  expect((await atomic("run", "hello", "Ada", "--shout")).stdout).toContain("HELLO, ADA! Your name has 3 letters.");
  for (const form of ["factory", "graph", "prompt"]) {
    expect((await atomic("workflows", "new", `my-${form}`, "--form", form)).exitCode).toBe(0);
  }
  expect((await atomic("workflows", "validate")).exitCode).toBe(0);
  const tsc = Bun.spawnSync([join(import.meta.dir, "../../node_modules/.bin/tsc"), "-p", ".atomic"], {
    cwd: fresh,
    env: world.env,
  });
  expect(tsc.stdout.toString()).toBe("");
  world.write("fresh/.atomic/workflows/hello.ts", "// mine now\n");
  const again = JSON.parse((await atomic("init", "--json")).stdout) as { created: string[]; kept: string[] };
  expect(again.created).toEqual([]);
  expect(readFileSync(join(fresh, ".atomic/workflows/hello.ts"), "utf8")).toBe("// mine now\n");
  world.write("fresh/.atomic/tsconfig.json", "{}");
  await atomic("init");
  expect(readFileSync(join(fresh, ".atomic/tsconfig.json"), "utf8")).toBe("{}");
  expect((await atomic("workflows", "new", "help")).stderr).toContain(`"/help" is a command of Atomic itself`);
  expect((await atomic("workflows", "new", "loop")).stderr).toBe("");
  expect((await atomic("workflows", "new", "ralph")).stderr).toContain("hides the built-in workflow");
  expect((await atomic("workflows", "new", "my-graph")).stderr).toContain("FILE_EXISTS");
  expect((await atomic("workflows", "new", "../up")).stderr).toContain("ENTITY_INVALID");
  expect(existsSync(join(world.root, "up.ts"))).toBe(false);
}, 60_000);

test("nothing is written through a link that leads out of the project", async () => {
  world.write("linked/README.md", "");
  world.write("elsewhere/README.md", "");
  symlinkSync("../elsewhere", join(world.root, "linked/.atomic"));
  for (const words of [["init"], ["workflows", "new", "x"], ["config", "set", "--project", "model", "x"]]) {
    const run = await world.run(words, { cwd: join(world.root, "linked") });
    expect(run.stderr).toContain("leads out of the project");
    expect(run.exitCode).not.toBe(0);
  }
  expect(readdirSync(join(world.root, "elsewhere"))).toEqual(["README.md"]);
});

test("config writes to the requested layer, and says when a later one wins", async () => {
  const run = await world.run(["config", "set", "theme", "light"], { env: { ATOMIC_THEME: "dark" } });
  expect(run.stderr).toContain("ATOMIC_THEME overrides it");
  expect(JSON.parse(world.read("home/.atomic/settings.json"))).toEqual({ theme: "light" });
  await world.run(["config", "set", "--project", "model", "opus"]);
  expect(JSON.parse(world.read("project/.atomic/settings.json"))).toEqual({ model: "opus" });
  expect((await world.run(["config", "get", "model"])).stdout).toBe("opus\n");
  expect((await world.run(["config", "unset", "--project", "model"])).exitCode).toBe(0);
  expect((await world.run(["config", "unset", "theme"])).exitCode).toBe(0);
  expect((await world.run(["config", "get", "theme"])).stdout).toBe("dark\n");
});

test("tasks migrate turns a feature list into a task list, and replaces nothing", async () => {
  world.write("project/old.json", [{ category: "x", description: "Do it", steps: ["a"], passes: true }]);
  const printed = await world.run(["tasks", "migrate", "old.json"]);
  expect(JSON.parse(printed.stdout)).toMatchObject({ version: "1.0", tasks: [{ name: "Do it", status: "passing" }] });
  expect((await world.run(["tasks", "migrate", "old.json", "-o", "tasks.json"])).stdout).toContain(
    "Wrote 1 task to tasks.json.",
  );
  expect((await world.run(["tasks", "migrate", "old.json", "-o", "tasks.json"])).stderr).toContain("FILE_EXISTS");
  expect((await world.run(["tasks", "migrate", "README.md"])).exitCode).toBe(2);
});
