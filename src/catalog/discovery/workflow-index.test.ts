import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createModuleReader } from "../modules/read-module.ts";
import { describeWorkflow } from "../modules/workflow-file.ts";
import { openWorkflowIndex } from "./workflow-index.ts";

let root = "";
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "workflow-index-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const later = (): number => Date.now() + 5000;

function writeFlow(name: string, description: string): string {
  const path = join(root, `${name}.ts`);
  const options = `{ depth: { type: "number", default: 3, description: "how deep" } }`;
  writeFileSync(path, `export const description = "${description}";\nexport const options = ${options};\n`);
  return path;
}

/** Descriptions of these files, and which of them were read for it. */
function look(paths: readonly string[], now = later): { readonly read: readonly string[]; readonly seen: unknown } {
  const index = openWorkflowIndex(root, now);
  const read: string[] = [];
  const seen = paths.map((path) =>
    index.describe(path, path, () => {
      read.push(path);
      return describeWorkflow(path, createModuleReader().read(path).scan());
    }),
  );
  index.save();
  return { read, seen };
}

function writeFlows(): readonly string[] {
  return Array.from({ length: 25 }, (_, i) => writeFlow(`flow-${i}`, `number ${i}`));
}

test("a file that has not changed is read once, and described the same", () => {
  const paths = writeFlows();
  const first = look(paths);
  const second = look(paths);
  expect(first.read).toEqual(paths);
  expect(second).toEqual({ read: [], seen: first.seen });
});

test("a file that has changed is read again, also when its size and time are as before", () => {
  const paths = writeFlows();
  const time = new Date(1_700_000_000_000);
  for (const path of paths) utimesSync(path, time, time);
  look(paths);
  writeFlow("flow-3", "NUMBER 3");
  utimesSync(join(root, "flow-3.ts"), time, time);
  const { read, seen } = look(paths);
  expect(read).toEqual([join(root, "flow-3.ts")]);
  expect(seen).toMatchObject(paths.map((_, i) => ({ info: { description: i === 3 ? "NUMBER 3" : `number ${i}` } })));
});

test("files that were just written are not cached, nor few files, nor any where the home can't be written", () => {
  const paths = writeFlows();
  look(paths, () => 0);
  expect(look(paths).read).toEqual(paths);

  rmSync(join(root, "workflow-index.json"));
  look(paths.slice(0, 5));
  expect(existsSync(join(root, "workflow-index.json"))).toBe(false);

  const index = openWorkflowIndex(join(root, "flow-0.ts"), later);
  for (const path of paths) index.describe(path, path, () => undefined);
  expect(() => index.save()).not.toThrow();
});

test("an index that is damaged, or of another version, counts as empty", () => {
  const paths = writeFlows();
  look(paths);
  const path = join(root, "workflow-index.json");
  const kept = readFileSync(path, "utf8");
  for (const text of [kept.slice(0, -5), "[]", kept.replace(/"version":"[^"]*"/, '"version":"0.0.1"')]) {
    writeFileSync(path, text);
    expect(look(paths).read).toEqual(paths);
  }
});
