// `atomic sessions prune`: removes runs that are over and old.

import type { RunSummary } from "../../app/run-summary.ts";
import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { defineCommand } from "../command.ts";

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** A run that can be resumed is work that is not done yet: it is removed only on request. */
const overStatuses: ReadonlySet<RunSummary["status"]> = new Set(["completed", "cancelled"]);
const stoppedStatuses: ReadonlySet<RunSummary["status"]> = new Set([
  ...overStatuses,
  "failed",
  "paused",
  "interrupted",
]);

export const pruneCommand = defineCommand({
  name: "prune",
  summary: "Remove runs that were completed or cancelled a while ago",
  details:
    "Removes what `atomic sessions rm` removes. Runs that can be resumed stay, unless --unfinished is given; runs that are running always stay.",
  options: {
    "older-than": {
      type: "string",
      value: "AGE",
      default: "30d",
      description: "only runs unchanged for this long: 12h, 30d, 8w",
    },
    unfinished: { type: "boolean", description: "also failed, paused and interrupted runs" },
    "dry-run": { type: "boolean", description: "only list what would be removed" },
  },
  async run({ options }, { io, app }) {
    const before = app.now() - ageOf(options["older-than"]);
    const statuses = options.unfinished ? stoppedStatuses : overStatuses;
    const { runs } = await app.runs.list();
    const old = runs.filter(({ status, updatedAt }) => statuses.has(status) && updatedAt < before);
    for (const { id, workflow } of old) {
      const about = `${id}  ${safeLine(workflow, 60)}`;
      if (options["dry-run"]) {
        io.print(`Would remove ${about}`);
        continue;
      }
      const { problem } = await app.runs.remove(id);
      io.print(`Removed ${about}`);
      if (problem !== undefined) io.warn(`What it kept in the repository is still there: ${safeLine(problem, 400)}`);
    }
    if (old.length === 0) io.print(`No ${options.unfinished ? "stopped" : "finished"} run is older than that.`);
  },
});

function ageOf(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,6})([hdw])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? Number.NaN);
  if (count !== "" && Number.isFinite(ms)) return ms;
  throw new AtomicError("USAGE", `--older-than takes an age like 12h, 30d or 8w, not "${safeLine(text, 40)}".`);
}
