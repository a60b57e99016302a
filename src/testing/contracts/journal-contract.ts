// The contract of the journal port, as a list of named cases that import no test runner. Every store passes all of
// them, except where its harness can't do what a case needs (see `needs`): a second process for a store in memory.

import { damageCases } from "./journal-cases-damage.ts";
import { eventCases } from "./journal-cases-events.ts";
import { indexCases } from "./journal-cases-index.ts";
import { liveCases } from "./journal-cases-live.ts";
import { ownerCases } from "./journal-cases-owners.ts";
import { processCases } from "./journal-cases-processes.ts";
import type { JournalContractCase, JournalHarness } from "./journal-harness.ts";

export type { ChildTask } from "./journal-child.ts";
export { runJournalChild } from "./journal-child.ts";
export type { JournalContractCase, JournalDamage, JournalHarness, MakeJournalHarness } from "./journal-harness.ts";

export const journalContract: readonly JournalContractCase[] = [
  ...eventCases,
  ...ownerCases,
  ...indexCases,
  ...liveCases,
  ...processCases,
  ...damageCases,
];

/** The cases that this harness can run. */
export function journalCasesFor(harness: JournalHarness): readonly JournalContractCase[] {
  return journalContract.filter(({ needs }) => needs === undefined || harness[needs] !== undefined);
}
