import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadScript } from "./load-script.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-script-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(root, name);
  writeFileSync(path, content);
  return path;
}

test("loadScript reads JSON, JSON with comments, and TypeScript that exports the script", async () => {
  const json = file("a.json", '{ "version": 1, "turns": [] }');
  const jsonc = file("a.jsonc", '{\n  // a comment\n  "version": 1, /* another */ "turns": [],\n}');
  const ts = file("a.ts", 'const say: string = "hi";\nexport default { version: 1, turns: [{ steps: [{ say }] }] };');

  expect((await loadScript(json)).turns).toEqual([]);
  expect((await loadScript(jsonc)).turns).toEqual([]);
  expect((await loadScript(ts)).turns).toEqual([{ steps: [{ say: "hi" }] }]);
});

const bad: readonly (readonly [string, () => string, RegExp])[] = [
  ["a file that is not there", () => join(root, "gone.json"), /ENOENT|no such file/],
  ["a folder", () => root + ".json", /can't be used/],
  ["another kind of file", () => file("a.yaml", "version: 1"), /\.json, \.jsonc or \.ts/],
  ["what is not JSON", () => file("b.json", "{"), /not JSON/],
  ["what is not UTF-8", () => file("c.json", new Uint8Array([0x7b, 0xff, 0x7d])), /not UTF-8/],
  ["TypeScript that throws", () => file("d.ts", 'throw new Error("boom");'), /can't be imported: boom/],
  ["TypeScript without an export", () => file("e.ts", "export {};"), /the script: /],
];

for (const [name, path, expected] of bad) {
  test(`loadScript refuses ${name} with one clear error`, async () => {
    await expect(loadScript(path())).rejects.toMatchObject({
      code: "SCRIPT_INVALID",
      message: expect.stringMatching(expected),
    });
  });
}

test("loadScript refuses a file that is too large without reading it", async () => {
  const path = file("big.json", "");
  truncateSync(path, 1024 * 1024 * 1024);

  await expect(loadScript(path)).rejects.toThrow(/at most/);
});
