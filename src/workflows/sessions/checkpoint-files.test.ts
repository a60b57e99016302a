import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { tempTree } from "../../../tests/support/temp-tree.ts";
import { writeCheckpoint } from "./checkpoint-files.ts";

const checkpoint = (visit: number, state: Record<string, unknown> = {}) => ({
  nodeId: "work",
  key: `work#${visit}`,
  visit,
  state,
  at: 0,
});

test("writeCheckpoint numbers the files on, keeps the newest ten, and leaves other files alone", () => {
  using tree = tempTree({ "notes.txt": "mine", "node-007.json": "{}" });
  for (let visit = 1; visit <= 12; visit++) writeCheckpoint(tree.root, checkpoint(visit));

  const names = readdirSync(tree.root).toSorted();
  expect(names).toHaveLength(11);
  expect(names.slice(0, 2)).toEqual(["node-010.json", "node-011.json"]);
  expect(names.slice(-2)).toEqual(["node-019.json", "notes.txt"]);
  expect(JSON.parse(readFileSync(tree.path("node-019.json"), "utf8"))).toEqual({
    node: "work",
    key: "work#12",
    visit: 12,
    at: "1970-01-01T00:00:00.000Z",
    state: {},
  });
});

test("writeCheckpoint keeps fewer of large states, and always the newest", () => {
  using tree = tempTree();
  const large = { text: "x".repeat(12 * 1024 * 1024) };
  for (let visit = 1; visit <= 4; visit++) writeCheckpoint(tree.root, checkpoint(visit, large));
  expect(readdirSync(tree.root).toSorted()).toEqual(["node-003.json", "node-004.json"]);
});
