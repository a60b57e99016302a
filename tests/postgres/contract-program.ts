// The other process of the contract: `SCHEMA TASK`, over the shared server. With `contract` it runs the contract itself,
// one line per case, where there is no test runner.

import { PostgresSaver } from "../../src/journal/postgres/postgres-saver.ts";
import { type ChildTask, runJournalChild } from "../../src/testing/contracts/journal-child.ts";
import { journalCasesFor } from "../../src/testing/contracts/journal-contract.ts";
import type { JournalHarness } from "../../src/testing/contracts/journal-harness.ts";
import { postgresHarness, type RunSql } from "../../src/testing/journal-harnesses/postgres-harness.ts";

const [command = "", url = "", schema = "", task = ""] = process.argv.slice(2);
if (command === "child") await runJournalChild(new PostgresSaver({ url, schema }), JSON.parse(task) as ChildTask);
if (command === "contract") process.exitCode = await runContract();

async function runContract(): Promise<number> {
  // Where this runs, the package of Node's client is what there is.
  const { default: postgres } = (await import(["post", "gres"].join(""))) as {
    default: (url: string, options: object) => { unsafe(text: string): Promise<unknown>; end(): Promise<void> };
  };
  const runSql: RunSql = async (text) => {
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    await sql.unsafe(text);
    await sql.end();
  };
  let count = 0;
  const make = (): Promise<JournalHarness> =>
    postgresHarness({ url, schema: `n${process.pid}_${++count}` }, runSql, [
      process.execPath,
      process.argv[1]!,
      "child",
      url,
    ]);
  const probe = await make();
  await probe.dispose();
  let failed = 0;
  for (const { name, run } of journalCasesFor(probe)) {
    const problem = await run(make).then(
      () => "",
      (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error)),
    );
    if (problem !== "") failed++;
    process.stdout.write(problem === "" ? `ok ${name}\n` : `not ok ${name}\n${problem}\n`);
  }
  return failed === 0 ? 0 : 1;
}
