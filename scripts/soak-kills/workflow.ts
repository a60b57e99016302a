// The workflow of the kill soak, as the text of a file: nodes that change everything they reach, in parallel branches,
// in a map, in a subgraph with a catch, and beside a question; in a loop that the run's own limit stops again and
// again. Every update contains what its node saw, so that a value that leaked, was lost or was folded twice shows in
// the record.

export const question = "Which way?";

export function workflowText(effects: string, rounds: number): string {
  return `import { appendFileSync } from "node:fs";
import { annotation, createNode, graph, mapNode, Reducers, subgraphNode } from "atomic/workflows";
export const name = "mutants";
export const description = "Changes everything it reaches";
export const prompt = "none";

const attempt = (change) => { try { change(); } catch (error) { if (!(error instanceof TypeError)) throw error; } };
const spoil = (value, seen = new Set()) => {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  for (const key of Object.keys(value)) spoil(value[key], seen);
  if (Array.isArray(value)) {
    attempt(() => value.reverse());
    attempt(() => value.push("spoilt"));
  } else {
    for (const key of Object.keys(value)) attempt(() => { value[key] = "spoilt"; });
    attempt(() => { value.spoilt = true; });
  }
};
const lent = (body) => (...given) => {
  const returned = body(...given);
  spoil(given);
  return returned;
};
const annotations = {
  log: annotation([], Reducers.concat),
  rows: annotation([], lent((all, more) => [...all, ...more])),
  rounds: annotation(0, Reducers.sum),
  seen: annotation({}, Reducers.merge),
};
const returned = [];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const tell = (ctx, more) => {
  const { log, rows, rounds, seen } = ctx.state;
  const saw = [log.length, rows.length, rounds, Object.keys(seen).length, JSON.stringify([log, rows, seen]).includes("spoilt")].join();
  const stateUpdate = {
    log: [ctx.node + " saw " + saw + (more ? " and " + more : "") + (ctx.failure ? " because of " + ctx.failure.node : "")],
    rows: [{ from: ctx.node, cells: [[ctx.node]] }],
    seen: { [ctx.node]: [ctx.visit] },
  };
  spoil(ctx.state);
  spoil(ctx.failure);
  spoil(ctx.attempt.previousNotes);
  spoil(returned);
  setTimeout(() => returned.push(stateUpdate), 0);
  return { stateUpdate };
};
const step = (ctx, part, ms) => ctx.step(part, async () => {
  appendFileSync(${JSON.stringify(effects)}, ctx.key + ":" + part + "\\n");
  await pause(ms);
  const value = { part, list: [part, [part]] };
  return value;
}).then((value) => { const told = value.part + value.list.length; spoil(value); return told; });
const work = (id, ms = 5) => createNode({ id, execute: async (ctx) => {
  await ctx.attempt.note({ list: [id] });
  return tell(ctx, await step(ctx, "part", ms));
} });
const fails = (id) => createNode({ id, execute: async () => { await pause(5); throw new Error(id + " fails"); } });
const beside = createNode({ id: "beside", execute: async (ctx) => {
  const parts = [ctx.ask(${JSON.stringify(question)}), step(ctx, "short", 5).then(() => step(ctx, "next", 20)), step(ctx, "long", 60)];
  return tell(ctx, JSON.stringify(await Promise.all(parts)));
} });
const inner = graph(annotations)
  .start(work("in"))
  .parallel({ id: "tries", branches: [[work("left"), fails("bad")], [work("right", 30), work("far")], fails("worse")] })
  .then(work("never"))
  .catch(work("caught"))
  .compile({ name: "inner" });
const each = mapNode({
  id: "each",
  items: lent(() => [["x"], ["y"], ["z"]]),
  concurrency: 2,
  node: work("item"),
  collect: lent((state) => [state.log.length, state.item]),
  outputMapper: lent((results) => ({ log: ["each gave " + JSON.stringify(results)] })),
});
const sub = subgraphNode({
  id: "sub",
  subgraph: inner,
  inputMapper: lent((state) => ({ rounds: state.rounds })),
  outputMapper: lent((state) => ({ log: ["sub gave " + JSON.stringify(state.log)] })),
});
const count = createNode({ id: "count", execute: () => ({ stateUpdate: { rounds: 1 } }) });
const fork = (id, branches) => ({ id, branches });

export default () => graph(annotations)
  .start(work("first"))
  .parallel(fork("both", { a: [work("a1"), work("a2")], b: work("b", 20), c: [work("c1"), sub] }))
  .loop([each, beside, count], { until: lent((state) => state.rounds >= ${rounds}) })
  .then(work("last"));
`;
}
