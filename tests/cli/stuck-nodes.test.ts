// Nodes that never return: the run says where it stands, and Ctrl+C ends it, whatever the node does.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const script = world.script("none", []);
/** Two seconds. */
const env = { ATOMIC_PROGRESS_QUIET: String(2 / 60) };
const resuming = /Resume with: atomic resume (\S+)/;

function workflow(name: string, body: string): void {
  world.workflow(
    name,
    `import { createNode, graph } from "atomic/workflows";
import { existsSync } from "node:fs";
export const name = "${name}";
export const prompt = "none";
const first = createNode({ id: "first", execute: () => ({ stateUpdate: { outputs: { first: "kept" } } }) });
export default () => graph().start(first).then(createNode({ id: "stuck", execute: ${body} }));
`,
  );
}

test("a node that waits forever is named after a while, and Ctrl+C pauses the run", async () => {
  workflow("waits", `() => existsSync("go") ? undefined : new Promise(() => {})`);
  const live = world.start(["run", "waits", "--script", script], { env });
  await live.seen(/"stuck" has shown no activity for \ds\. Ctrl\+C pauses the run\./);
  live.signal("SIGINT");
  const ended = await live.ended;

  expect(ended.exitCode).toBe(130);
  expect(ended.stderr).not.toContain('"first" has shown no activity');
  world.write("project/go", "");
  const resumed = await world.run(["resume", resuming.exec(ended.stderr)?.[1] ?? ""]);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.stdout).toContain("kept");
});

test("a node that computes forever is named after a while, and Ctrl+C ends the program", async () => {
  workflow("computes", `() => { while (!existsSync("stop")); }`);
  const live = world.start(["run", "computes", "--script", script], { env });
  const seen = await live.seen(resuming);
  expect(seen).toContain('Node "stuck" has kept the program busy for 2 s');
  live.signal("SIGINT");
  await live.ended;

  world.write("project/stop", "");
  const resumed = await world.run(["resume", resuming.exec(seen)?.[1] ?? ""]);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.stdout).toContain("kept");
});

test("a node that computes for long and then returns leaves Ctrl+C to pause the run again", async () => {
  workflow("recovers", `() => { while (!existsSync("enough")); return new Promise(() => {}); }`);
  const live = world.start(["run", "recovers", "--script", script], { env });
  await live.seen("has kept the program busy");
  world.write("project/enough", "");
  await live.seen(/no activity for [4-9]s/);
  live.signal("SIGINT");
  const ended = await live.ended;

  expect(ended.exitCode).toBe(130);
  expect(ended.stderr).toContain("Paused Recovers session");
});
