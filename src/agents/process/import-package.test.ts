import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AtomicError } from "../../lib/errors.ts";
import { systemClock } from "../../lib/clock.ts";
import { importPackage, importSdk } from "./import-package.ts";
import { createProcessRegistry } from "./process-registry.ts";

function installed(manifest: Record<string, unknown>, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "import-package-"));
  const folder = join(root, "node_modules/@vendor/sdk");
  mkdirSync(join(folder, "dist"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "1.2.3", type: "module", ...manifest }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  mkdirSync(join(root, "deep/er"), { recursive: true });
  return join(root, "deep/er");
}

const sdk = { cwd: "/nowhere", name: "@vendor/sdk", install: "npm install @vendor/sdk" };

test("importPackage follows the exports of a package in a folder above", async () => {
  const exports = {
    ".": { types: "./x.d.ts", import: { types: "./x.d.ts", default: "./dist/main.js" }, require: "./no.cjs" },
    "./v2/client": { import: "./dist/client.js" },
  };
  const packagesFrom = installed(
    { exports },
    { "dist/main.js": "export const a = 1", "dist/client.js": "export const b = 2" },
  );

  const { module, version } = await importPackage({ ...sdk, packagesFrom });
  expect(module["a"]).toBe(1);
  expect(version).toBe("1.2.3");
  expect((await importPackage({ ...sdk, packagesFrom, subpath: "v2/client" })).module["b"]).toBe(2);
});

test("importPackage finds a package that npm installed for all programs, but none of the working folder", async () => {
  const prefix = mkdtempSync(join(tmpdir(), "import-package-"));
  const folder = join(prefix, "lib/node_modules/@vendor/sdk");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "1.2.3", type: "module", main: "main.js" }));
  writeFileSync(join(folder, "main.js"), "export const a = 1");
  const global = { ...sdk, packagesFrom: prefix, searchPath: `bin:${join(prefix, "bin")}` };

  expect((await importPackage({ ...global, cwd: "/nowhere" })).module["a"]).toBe(1);
  await expect(importPackage({ ...global, cwd: prefix })).rejects.toMatchObject({ code: "AGENT_UNAVAILABLE" });
});

test("importPackage takes the main module of a package without exports", async () => {
  const packagesFrom = installed({ main: "dist/main.js" }, { "dist/main.js": "export const a = 1" });

  expect((await importPackage({ ...sdk, packagesFrom })).module["a"]).toBe(1);
});

test("importPackage says how to install a package that is missing", async () => {
  const packagesFrom = mkdtempSync(join(tmpdir(), "import-package-"));

  await expect(importPackage({ ...sdk, packagesFrom })).rejects.toMatchObject({
    code: "AGENT_UNAVAILABLE",
    message: 'The package "@vendor/sdk" is not installed. Install it: npm install @vendor/sdk.',
  });
});

test("importPackage says what is wrong with a package that does not load", async () => {
  const packagesFrom = installed({ exports: "./dist/main.js" }, { "dist/main.js": "throw new Error('no such luck')" });

  await expect(importPackage({ ...sdk, packagesFrom })).rejects.toMatchObject({
    code: "AGENT_UNAVAILABLE",
    message: expect.stringContaining("no such luck"),
  });
  await expect(importPackage({ ...sdk, packagesFrom, subpath: "client" })).rejects.toMatchObject({
    message: expect.stringContaining('it has no module "client"'),
  });
});

test("importSdk gives the SDK that fits, and names the version of one that does not", async () => {
  const packagesFrom = installed({ main: "main.js" }, { "main.js": "export const query = () => 7" });
  const host = {
    environment: { user: {} },
    programs: {},
    packagesFrom,
    registry: createProcessRegistry(join(packagesFrom, "pids")),
    clock: systemClock,
    newId: () => "id",
  };
  const hasQuery = (module: object): module is { query: () => number } => "query" in module;
  const hasOther = (module: object): module is { other: unknown } => "other" in module;

  expect((await importSdk(host, "/", { ...sdk, isSdk: hasQuery })).query()).toBe(7);
  const refusal = await importSdk(host, "/", { ...sdk, isSdk: hasOther }).catch((thrown: unknown) => thrown);
  expect(AtomicError.is(refusal, "AGENT_UNAVAILABLE") && refusal.message).toMatch(
    /@vendor\/sdk" 1\.2\.3 is another version/,
  );
});
