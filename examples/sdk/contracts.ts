// The suites that every store and every agent backend passes, as lists of `{ name, run }`, for those of your own.

import {
  agentContract,
  journalCasesFor,
  journalContract,
  type JournalHarness,
  type MakeJournalHarness,
  runJournalChild,
} from "atomic/testing";
import { MemorySaver } from "atomic/workflows";

// A harness says what the suite needs to know about a store. A new storage for each case.
const make: MakeJournalHarness = async (): Promise<JournalHarness> => {
  const saver = new MemorySaver();
  return { store: () => saver, killOwners: () => saver.forgetOwners(), dispose: async () => {} };
};
const probe = await make();
const cases = journalCasesFor(probe);
console.log(cases.length > 10, cases.length < journalContract.length);
// Under a test runner: for (const { name, run } of cases) test(name, () => run(make));
await cases[0]?.run(make);

// A store that other processes reach names a program for them, which calls this with a store over the same storage.
await runJournalChild(await probeWithRun(), { do: "request", run: "run-1", request: { type: "pause" } });

// The same for agents: for (const { name, run } of agentContract) test(name, () => run(harness));
console.log(agentContract.length > 10);

async function probeWithRun(): Promise<MemorySaver> {
  const saver = new MemorySaver();
  const handle = await saver.open("run-1", { mode: "create" });
  await handle.append([{ type: "run.started" }]);
  await handle.close();
  return saver;
}
