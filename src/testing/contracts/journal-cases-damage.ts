// Contract cases: a damaged run is refused, and storage that can't be written stops the run.

import { match, notDeepStrictEqual, ok } from "node:assert/strict";
import { AtomicError } from "../../lib/errors.ts";
import {
  checkNumbered,
  closedRun,
  collect,
  appendNumbered,
  journalCase,
  type JournalContractCase,
  type JournalDamage,
  type JournalHarness,
  readAll,
  refuses,
} from "./journal-harness.ts";

export const damageCases: readonly JournalContractCase[] = [
  {
    name: "a damaged run is refused with the position and what to do, and never read as an empty one",
    needs: "damages",
    async run(make) {
      const { damages, dispose } = await make();
      await dispose();
      ok(damages !== undefined && damages.length > 0, "the harness names no damage");
      for (const { name } of damages) {
        const harness = await make();
        const damage = harness.damages?.find((candidate) => candidate.name === name);
        ok(damage !== undefined, name);
        try {
          await checkDamage(harness, damage);
        } catch (error) {
          throw new Error(`damage "${name}": ${error instanceof Error ? error.message : String(error)}`, {
            cause: error,
          });
        } finally {
          await harness.dispose();
        }
      }
    },
  },

  journalCase(
    "read-only storage is refused when a run is opened, and the run is kept",
    async (harness) => {
      await closedRun(harness.store(), "run", 3);
      const undo = harness.makeReadOnly?.();
      if (undo === undefined) return;
      try {
        const error = await refuses("JOURNAL_WRITE_FAILED", () => harness.store().open("run", { mode: "resume" }));
        match(error.message, /read-only|can't be (opened|written)/);
        await refuses("JOURNAL_WRITE_FAILED", () => harness.store().open("new", { mode: "create" }));
        await checkReadable(harness);
      } finally {
        undo();
      }
      const handle = await harness.store().open("run", { mode: "resume" });
      checkNumbered(await collect(handle.history), 1, 3);
      await appendNumbered(handle, 1);
      await handle.close();
    },
    "makeReadOnly",
  ),
];

/** A run of nine events in three appends by two owners, closed, then damaged. */
async function checkDamage(harness: JournalHarness, damage: JournalDamage): Promise<void> {
  await closedRun(harness.store(), "run", 6, 3);
  const second = await harness.store().open("run", { mode: "resume" });
  await appendNumbered(second, 3, 3);
  await second.close();
  await damage.apply("run");

  const openAndRead = async (): Promise<void> => {
    const handle = await harness.store().open("run", { mode: "resume" });
    notDeepStrictEqual(await collect(handle.history), [], "it was read as an empty run");
  };
  const error = await refuses(damage.code, openAndRead);
  match(error.message, damage.mentions);
  match(error.message, damage.code === "JOURNAL_NEWER" ? /[Uu]pdate/ : /[Rr]estore/);
  // Once more: a refused open changes nothing and takes no ownership.
  await refuses(damage.code, openAndRead);
  await refuses(damage.code, () => readAll(harness.store(), "run"));
  // A request for a new run of that name does not get an empty one either.
  await harness
    .store()
    .open("run", { mode: "create" })
    .then(
      () => ok(false, "it could be created anew"),
      (refusal: unknown) => ok(AtomicError.is(refusal), String(refusal)),
    );
}

/** Read-only storage can still be read. */
async function checkReadable(harness: JournalHarness): Promise<void> {
  checkNumbered(await readAll(harness.store(), "run"), 1, 3);
}
