// What a task list says about its tasks reaches worker and reviewer: criteria, steps, category, and whatever else is
// there, of whatever shape.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

/** A turn that only serves when its prompt holds all of these, in this order. */
const told = (agent: string, say: string, ...parts: readonly string[]) => ({
  agent,
  match: parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[\\s\\S]*"),
  steps: [{ say }],
});
const correct = JSON.stringify({ verdict: "correct", findings: [] });

const lists: readonly (readonly [string, object])[] = [
  [
    "tasks.json",
    {
      version: "1.0",
      tasks: [
        {
          id: "1",
          name: "Log in",
          description: "With a password.",
          metadata: {
            acceptanceCriteria: ["A wrong password is refused"],
            steps: ["Open /login", "Type"],
            category: "functional",
            owner: { name: "ann" },
          },
        },
      ],
    },
  ],
  [
    "a feature list",
    {
      features: [
        {
          id: "1",
          name: "Log in",
          description: "With a password.",
          acceptanceCriteria: ["A wrong password is refused"],
          steps: ["Open /login", "Type"],
          category: "functional",
          owner: { name: "ann" },
        },
      ],
    },
  ],
  [
    "a legacy list",
    [
      {
        category: "functional",
        description: "Log in",
        acceptanceCriteria: ["A wrong password is refused"],
        steps: ["Open /login", "Type"],
        passes: false,
        owner: { name: "ann" },
      },
    ],
  ],
];

for (const [what, list] of lists) {
  test(`criteria, steps, category and the rest of ${what} reach worker and reviewer`, async () => {
    const world = createCliWorld();
    const parts = ["A wrong password is refused", "Steps", "1. Open /login", "2. Type", "functional", "name: ann"];
    const script = world.script("s", [
      told("worker", "done", "Log in", "Acceptance criteria", ...parts),
      told("reviewer", correct, "Log in", ...parts),
    ]);
    const run = await world.run(["ralph", "--feature-list", world.write("list.json", list), "--script", script]);

    expect(run.exitCode).toBe(0);
    expect(run.stdout).not.toContain("asked: Category");
  });
}

test("a report of a migrated feature list says what was asked for, not its category", async () => {
  const world = createCliWorld();
  const list = world.write("list.json", [{ category: "functional", description: "Log in", steps: ["Open", "Type"] }]);
  const migrated = world.write("tasks.json", (await world.run(["tasks", "migrate", list])).stdout);
  const script = world.script("s", [{ agent: "worker", steps: [{ say: "done" }] }]);
  const run = await world.run(["ralph", "--feature-list", migrated, "--script", script, "--max-reviews", "0"]);

  expect(run.exitCode).toBe(0);
  expect(run.stdout).toContain("asked: Open; Type");
});

test("metadata of any JSON shape breaks nothing, and is in the session's copy as it was", async () => {
  const world = createCliWorld();
  const shapes = [null, "text", 0, true, [], [1, [2, { three: null }]], { a: { b: ["c"] } }, "long ".repeat(20_000)];
  const tasks = shapes.map((shape, i) => ({
    id: String(i),
    title: `Task ${i}`,
    description: null,
    verify: null,
    acceptanceCriteria: shape,
    steps: shape,
    category: shape,
    strange: shape,
    metadata: shape,
  }));
  const list = world.write("list.json", { tasks, metadata: shapes });
  const script = world.script("s", [
    { agent: "worker", steps: [{ say: "done" }] },
    { agent: "reviewer", steps: [{ say: correct }] },
  ]);
  const run = await world.run(["ralph", "--feature-list", list, "--script", script, "--json"]);
  const path = `home/.atomic/workflows/sessions/${world.onlyRun()}/tasks.json`;
  const kept = JSON.parse(world.read(path)) as { tasks: { metadata: Record<string, unknown> }[] };

  expect(run.stderr).toBe("");
  expect(run.exitCode).toBe(0);
  for (const [i, shape] of shapes.entries()) expect(kept.tasks[i]?.metadata["strange"]).toEqual(shape);
});
