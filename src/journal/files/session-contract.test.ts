import { test } from "bun:test";
import { fileURLToPath } from "node:url";
import { journalCasesFor } from "../../testing/contracts/journal-contract.ts";
import { harnessOf } from "../../testing/journal-harnesses/journal-program.ts";

const program = fileURLToPath(new URL("../../testing/journal-harnesses/journal-program.ts", import.meta.url));
const make = (): ReturnType<typeof harnessOf> => harnessOf("session", [process.execPath, program]);
const probe = await make();
await probe.dispose();

for (const { name, run } of journalCasesFor(probe)) test(`session: ${name}`, () => run(make), 20_000);
