// The program as one file (`npm run build`), and a workflow in a repository that knows nothing of JavaScript: from the
// sources and from that file, with the same result.

import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mustRun } from "../../scripts/run-command.ts";
import { createCliWorld } from "./cli-world.ts";

const world = createCliWorld();
const projectRoot = join(import.meta.dir, "../..");
/** `npm test` has built it. */
const built = process.env["ATOMIC_TEST_SINGLE_FILE"];
const compiled = built ?? join(world.root, "bin", "atomic");

world.write("rust/Cargo.toml", `[package]\nname = "bare"\nversion = "0.1.0"\nedition = "2024"\n`);
world.write("rust/src/main.rs", `fn main() { println!("hi"); }\n`);
world.write(
  "rust/.atomic/workflows/check.ts",
  `import { graph, subgraphNode, toolNode, AtomicError, type BaseState } from "atomic/workflows";
import { AtomicError as Same } from "@atomic/graph";
import { z } from "zod";
import { crate } from "./lib/crate.ts";

export const name = "check";
export const description = "Checks the crate";
export const prompt = "none";

interface State extends BaseState { text: string }

export default () =>
  graph<State>()
    .start(toolNode({ id: "name", execute: () => z.string().parse(crate), outputMapper: (text) => ({ text }) }))
    .then(toolNode({ id: "say", execute: ({ text }) => \`crate \${text}, one SDK: \${AtomicError === Same}\` }))
    .compile();
`,
);
world.write("rust/.atomic/workflows/lib/crate.ts", `export const crate: string = "bare";\n`);

beforeAll(async () => {
  if (built !== undefined) return;
  await mustRun([process.execPath, "--no-env-file", "scripts/build-program.ts", "--outfile", compiled], {
    cwd: projectRoot,
  });
}, 180_000);

const atomic = (program: string, ...words: string[]) => {
  const run = Bun.spawnSync([program, ...words], { cwd: join(world.root, "rust"), env: world.env, stdin: "ignore" });
  return { exitCode: run.exitCode, stdout: run.stdout.toString(), stderr: run.stderr.toString() };
};

describe.each([
  ["the sources", join(projectRoot, "bin/atomic")],
  ["the single file", compiled],
])("a workflow in a bare Rust repository, from %s,", (_, program) => {
  test("is listed, refused without trust, validated and drawn with it", () => {
    expect(atomic(program, "workflows").stdout).toContain("Checks the crate");
    expect(atomic(program, "workflows", "validate", "check").stdout).toContain("NOT_TRUSTED");
    const valid = atomic(program, "workflows", "validate", "check", "--trust");
    expect(valid).toEqual({
      exitCode: 0,
      stdout: "ok       check (.atomic/workflows/check.ts): 2 nodes, 1 edge\n",
      stderr: "",
    });
    expect(atomic(program, "workflows", "graph", "check", "--trust").stdout).toContain("n0 --> n1");
  });

  test("runs, with one SDK and one zod", () => {
    const run = atomic(program, "run", "check", "--trust");
    expect(run.stdout).toContain("crate bare, one SDK: true");
    expect(run.exitCode).toBe(0);
  });

  test("leaves no package.json and no node_modules behind", () => {
    for (const name of ["package.json", "node_modules", "package-lock.json"]) {
      expect(existsSync(join(world.root, "rust", name))).toBe(false);
    }
  });
});

describe("the single file", () => {
  test("says its version and its help, and lists what is built in", () => {
    expect(atomic(compiled, "--version").stdout).toBe("0.5.0\n");
    expect(atomic(compiled, "--help").stdout).toContain("workflows");
    expect(atomic(compiled, "agents").stdout).toContain("codebase-analyzer");
    expect(atomic(compiled, "workflows", "validate", "ralph").exitCode).toBe(0);
  });

  test("reads no .env, no bunfig.toml and no tsconfig.json of the folder it is started in, and runs no macro", () => {
    const paths = { "*": ["./preload.ts"], zod: ["./preload.ts"], "atomic/workflows": ["./preload.ts"] };
    world.write("rust/tsconfig.json", { compilerOptions: { baseUrl: ".", paths } });
    world.write(
      "rust/.atomic/workflows/macro.ts",
      `import { crate } from "./lib/run.ts" with { type: "macro" };\nexport const name = "macro";\ncrate();\n`,
    );
    world.write("rust/.atomic/workflows/lib/run.ts", `console.log("macro ran");\nexport const crate = () => 1;\n`);
    world.write("rust/.env", "ATOMIC_THEME=light\n");
    world.write("rust/bunfig.toml", `preload = ["./preload.ts"]\n`);
    world.write("rust/preload.ts", `console.log("preloaded");\n`);
    const run = atomic(compiled, "config", "get", "theme");
    expect(run.stdout).toBe("dark\n");
    expect(atomic(compiled, "run", "check", "--trust").stdout).toContain("crate bare, one SDK: true");
    const macro = atomic(compiled, "workflows", "validate", "macro", "--trust").stdout;
    expect(macro).toContain("imported as a macro");
    expect(macro).not.toContain("macro ran");
  });

  test("writes the types that an editor needs, and they compile", async () => {
    world.write("fresh/README.md", "");
    const cwd = join(world.root, "fresh");
    const init = Bun.spawnSync([compiled, "init"], { cwd, env: world.env });
    expect(init.exitCode).toBe(0);
    Bun.spawnSync([compiled, "workflows", "new", "flow", "--form", "graph"], { cwd, env: world.env });
    const config = readFileSync(join(cwd, ".atomic/tsconfig.json"), "utf8");
    expect(config).toContain(join(world.atomicHome, "types/0.5.0/atomic/public/workflows.d.ts"));
    expect(await mustRun([join(projectRoot, "node_modules/.bin/tsc"), "-p", ".atomic"], { cwd })).toBe("");
  });
});
