// The journal contract on a real PostgreSQL, with Bun's client and with Node's.

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { journalCasesFor } from "../../src/testing/contracts/journal-contract.ts";
import { postgresHarness } from "../../src/testing/journal-harnesses/postgres-harness.ts";
import { newSchema, runSql, sharedUrl } from "./shared-server.ts";

setDefaultTimeout(60_000);

const program = join(import.meta.dir, "contract-program.ts");
const child = [process.execPath, "--no-env-file", program, "child", sharedUrl()];
const make = () => postgresHarness({ url: sharedUrl(), schema: newSchema() }, runSql, child);

const probe = await make();
await probe.dispose();
for (const { name, run } of journalCasesFor(probe)) test(`postgres on Bun: ${name}`, () => run(make));

/** As an earlier version prepared it. */
const makeWithoutFunction = async () => {
  const schema = newSchema();
  const harness = await postgresHarness({ url: sharedUrl(), schema }, runSql, child);
  await runSql(`DROP FUNCTION ${schema}.append_record`);
  return harness;
};
for (const { name, run } of journalCasesFor(probe))
  test(`postgres that an earlier version prepared: ${name}`, () => run(makeWithoutFunction));

test("postgres on Node: the whole contract, with the package postgres", async () => {
  const folder = mkdtempSync(join(tmpdir(), "contract-"));
  const built = await Bun.build({
    entrypoints: [program],
    target: "node",
    format: "esm",
    outdir: folder,
    naming: "program.mjs",
    external: ["bun"],
  });
  expect(built.success).toBe(true);
  symlinkSync(join(import.meta.dir, "node_modules"), join(folder, "node_modules"));
  const child = Bun.spawn(["node", join(folder, "program.mjs"), "contract", sharedUrl()], {
    env: { PATH: process.env["PATH"] ?? "", HOME: folder },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [lines, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  expect(`${lines}${errors}`).not.toContain("not ok");
  expect({ exitCode: child.exitCode, errors }).toEqual({ exitCode: 0, errors: "" });
  expect(lines.split("\n").filter((line) => line.startsWith("ok ")).length).toBeGreaterThan(40);
}, 180_000);
