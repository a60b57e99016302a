// Runs as a separate process: the child of the contract (`child KIND FOLDER TASK`), or, where there is no test
// runner, the contract itself (`contract KIND`), with one line per case.

import type { JournalStore } from "../../journal/port.ts";
import { type ChildTask, runJournalChild } from "../contracts/journal-child.ts";
import { journalCasesFor, type JournalHarness } from "../contracts/journal-contract.ts";
import { fileHarness, fileStoreIn } from "./file-harness.ts";
import { memoryHarness } from "./memory-harness.ts";
import { sqliteHarness, sqliteSaverIn } from "./sqlite-harness.ts";

export type StoreKind = "memory" | "file" | "session" | "research" | "sqlite";

/** `program` is the command that runs this file. */
export function harnessOf(kind: StoreKind, program: readonly string[]): Promise<JournalHarness> {
  const child = [...program, "child", kind];
  if (kind === "memory") return memoryHarness();
  return kind === "sqlite" ? sqliteHarness(child) : fileHarness(kind, child);
}

function storeOf(kind: StoreKind, folder: string): JournalStore {
  if (kind === "memory") throw new Error("a store in memory has no other process");
  return kind === "sqlite" ? sqliteSaverIn(folder) : fileStoreIn(kind, folder);
}

async function runContract(kind: StoreKind): Promise<void> {
  const make = (): Promise<JournalHarness> => harnessOf(kind, [process.execPath, process.argv[1]!]);
  const probe = await make();
  await probe.dispose();
  let failed = 0;
  for (const { name, run } of journalCasesFor(probe)) {
    const started = Date.now();
    const problem = await run(make).then(
      () => "",
      (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error)),
    );
    if (problem !== "") failed++;
    const line = `${kind}: ${name} (${Date.now() - started} ms)`;
    process.stdout.write(problem === "" ? `ok ${line}\n` : `not ok ${line}\n${problem}\n`);
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

const [command, kind, ...rest] = process.argv.slice(2);
if (command === "child") await runJournalChild(storeOf(kind as StoreKind, rest[0]!), JSON.parse(rest[1]!) as ChildTask);
if (command === "contract") await runContract(kind as StoreKind);
