// A project used from one of its subfolders.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const deep = join(world.project, "packages/deep");
mkdirSync(deep, { recursive: true });
world.write(
  "project/.atomic/workflows/where.ts",
  `import { createNode, graph } from "atomic/workflows";
export const name = "where";
export const description = "Says where it runs";
export const prompt = "none";
export default () => graph().start(createNode({ id: "only", execute: async () => ({ stateUpdate: { outputs: { cwd: process.cwd() } } }) }));
`,
);

test("workflows, settings, trust and runs of the project are those of its top folder", async () => {
  const inDeep = { cwd: deep };
  expect((await world.run(["workflows"], inDeep)).stdout).toContain("where");
  expect((await world.run(["trust", "--yes"], inDeep)).exitCode).toBe(0);
  const run = await world.run(["run", "where"], inDeep);
  expect(run.stderr).toContain(`folder ${world.project},`);
  expect(run.exitCode).toBe(0);
  expect((await world.run(["sessions", "path", "@last"], inDeep)).stdout.trim()).toEndWith(world.onlyRun());
  // What is typed starts where it is typed.
  expect((await world.run(["trust", "../../.atomic/workflows/where.ts", "--list"], inDeep)).stdout).toContain(
    "where.ts",
  );
});

test("init makes a separate project", async () => {
  expect((await world.run(["init"], { cwd: deep })).exitCode).toBe(0);
  expect(existsSync(join(deep, ".atomic"))).toBe(true);
});
