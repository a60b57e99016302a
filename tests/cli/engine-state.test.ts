// What a workflow's own code does to the state, through the real program: a run that was never interrupted and one that
// was killed and resumed come to the same.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs, type PrintedEvent } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

function updatesOf(events: readonly PrintedEvent[]): unknown {
  const finished = events.filter(({ type }) => type === "node.finished");
  return Object.fromEntries(finished.map((event) => [event["node"], event["update"]]));
}

test("a node that changes lists of the state in place changes neither its siblings nor what comes after a kill", async () => {
  const world = createCliWorld();
  world.workflow(
    "meddler",
    `import { annotation, createNode, graph, parallelNode, Reducers } from "atomic/workflows";
import { existsSync, writeFileSync } from "node:fs";
export const name = "meddler";
export const description = "Changes what it was lent";
export const prompt = "none";
const annotations = {
  log: annotation([], Reducers.concat),
  saw: annotation({}, Reducers.merge),
  table: annotation({ rows: [] }),
};
const rows = Array.from({ length: 50 }, (_, i) => i);
const seed = createNode({ id: "seed", execute: () => ({ stateUpdate: { log: ["seed"], table: { rows } } }) });
const meddle = createNode({ id: "meddle", execute: ({ state }) => {
  state.log.push("never recorded");
  state.table.rows.length = 0;
} });
const look = createNode({ id: "look", execute: ({ state }) => {
  if (process.env.KILL_IN !== undefined && !existsSync(process.env.KILL_IN)) {
    writeFileSync(process.env.KILL_IN, "");
    process.kill(process.pid, "SIGKILL");
  }
  return { stateUpdate: { saw: { log: state.log, rows: state.table.rows.length } } };
} });
const after = createNode({ id: "after", execute: ({ state }) => ({ stateUpdate: { outputs: { after: state.log } } }) });
export default () => graph(annotations)
  .start(seed)
  .parallel({ branches: [meddle, look], concurrency: 1 })
  .then(after);
`,
  );
  const words = ["run", "meddler", "-a", "scripted", "--script", world.script("s", []), "--json"];

  const live = await world.run(words);
  const marker = join(world.root, "killed");
  const killed = await world.run(words, { env: { KILL_IN: marker } });
  expect(existsSync(marker)).toBe(true);
  const resumed = await world.run(["resume", "--json"], { env: { KILL_IN: marker } });

  expect([live.exitCode, killed.exitCode, resumed.exitCode]).toEqual([0, null, 0]);
  expect(updatesOf(live.events())).toEqual({
    seed: { log: ["seed"], table: { rows: Array.from({ length: 50 }, (_, i) => i) } },
    meddle: undefined,
    look: { saw: { log: ["seed"], rows: 50 } },
    after: { outputs: { after: ["seed"] } },
  });
  expect(updatesOf([...killed.events(), ...resumed.events()])).toEqual(updatesOf(live.events()));
});

test("branches that overwrite each other's value are warned of in one line, and a map's lost update fails the run", async () => {
  const world = createCliWorld();
  world.workflow(
    "clash",
    `import { createNode, graph, mapNode } from "atomic/workflows";
export const name = "clash";
export const description = "Writes one key twice, and loses an update";
export const prompt = "none";
const write = (id) => createNode({ id, execute: () => ({ stateUpdate: { winner: id } }) });
const item = createNode({ id: "item", execute: () => ({ stateUpdate: { total: 1 } }) });
export default () => graph()
  .start(createNode({ id: "start", execute: () => {} }))
  .parallel({ id: "both", branches: [write("left"), write("right")] })
  .then(mapNode({ id: "each", items: () => [1], node: item }));
`,
  );
  const run = await world.run(["run", "clash", "-a", "scripted", "--script", world.script("s", [])]);
  const lines = run.stderr.split("\n").filter((line) => line.includes('"winner"'));

  expect(run.exitCode).toBe(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('Branches of "both" wrote the state key "winner", which has no reducer: "left", "right".');
  expect(run.stderr).toContain('Node "item" changes "total" for one item of mapNode "each"');
});
