// Runs named by the start of their id and as @last; `atomic logs`; runs that are removed because they are old.

import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
world.workflow(
  "quick",
  `import { createNode, graph } from "atomic/workflows";
export const name = "quick";
export const description = "One node";
export const prompt = "none";
export default () => graph().start(createNode({ id: "only", execute: async () => ({}) }));
`,
);

afterEach(async () => {
  await world.run(["sessions", "prune", "--older-than", "0h"]);
});

async function ids(): Promise<readonly string[]> {
  const { stdout } = await world.run(["sessions", "--json"]);
  return (JSON.parse(stdout) as readonly { id: string }[]).map(({ id }) => id);
}

test("a run answers to the start of its id and to @last, and goes when it is old", async () => {
  for (let i = 0; i < 3; i++) expect((await world.run(["run", "quick"])).exitCode).toBe(0);
  const [newest = "", ...older] = await ids();
  const oldest = older.at(-1) ?? "";

  for (const words of [["sessions", "path"], ["sessions", "show"], ["logs"]]) {
    const byStart = await world.run([...words, oldest.slice(0, 13)]);
    expect(byStart.exitCode).toBe(0);
    expect(byStart.stdout).toContain(words.includes("logs") ? "run.started" : oldest);
  }
  expect((await world.run(["sessions", "path", "@last"])).stdout).toContain(newest);

  expect((await world.run(["sessions", "show", "0000"])).stderr).toContain("RUN_NOT_FOUND");

  // What was removed is named by its id, however it was asked for.
  const removed = await world.run(["sessions", "rm", oldest.slice(0, 13), "@last"]);
  expect(removed).toMatchObject({ exitCode: 0, stdout: `Removed ${oldest}\nRemoved ${newest}\n` });
  expect(await ids()).toEqual(older.slice(0, -1));

  expect((await world.run(["sessions", "prune", "--dry-run"])).stdout).toBe("No finished run is older than that.\n");
  expect((await world.run(["sessions", "prune", "--older-than", "soon"])).exitCode).toBe(2);
  const pruned = await world.run(["sessions", "prune", "--older-than", "0h", "--dry-run"]);
  expect(pruned.stdout.match(/^Would remove /gm)).toHaveLength(1);
  expect((await world.run(["sessions", "prune", "--older-than", "0h"])).stdout.match(/^Removed /gm)).toHaveLength(1);
  expect(await ids()).toEqual([]);
});

test("sessions rm finds every run before it removes one: a run that is named twice takes no other with it", async () => {
  for (let i = 0; i < 3; i++) expect((await world.run(["run", "quick"])).exitCode).toBe(0);
  const [newest = "", ...older] = await ids();

  const unknown = await world.run(["sessions", "rm", "@last", "0000"]);
  expect(unknown).toMatchObject({ exitCode: 1, stdout: "" });
  expect(await ids()).toEqual([newest, ...older]);

  const removed = await world.run(["sessions", "rm", newest.slice(0, 13), "@last", newest]);
  expect(removed).toMatchObject({ exitCode: 0, stdout: `Removed ${newest}\n` });
  expect(await ids()).toEqual(older);
});
