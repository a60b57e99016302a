// The first node: says what is to be done, and keeps the user's uncommitted work safe before any worker starts.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isSystemError, writeFileAtomically } from "../../lib/atomic-file.ts";
import type { ReportedEvent } from "../../events/reported-events.ts";
import { readRepository } from "../git/git-status.ts";
import type { ExecutionContext, NodeResult } from "../graph/model/node.ts";
import { keepArtifact } from "./artifacts.ts";
import { chooseIsolation, type ChosenIsolation } from "./isolation.ts";
import { keepWork } from "./keep-work.ts";
import type { RalphState } from "./state.ts";

export async function prepare(context: ExecutionContext<RalphState>): Promise<NodeResult<RalphState>> {
  const { mode, prompt, cwd, tasks, executionId, featureList, sessionDir } = context.state;
  const { redact = (text) => text } = context.runtime;
  if (featureList !== null) keepCopy(featureList, join(sessionDir, "feature-list.json"), redact);
  context.record({ type: "work.started", mode: modeTexts[mode] });
  if (prompt !== "") keepArtifact(context.state, "spec.md", prompt);
  for (const task of tasks) context.record({ type: "task.updated", task });
  // Read once: in a large repository that takes seconds.
  const repository = await readRepository(cwd);
  const kept = await keepWork(repository, { cwd, run: executionId });
  context.record({ type: "work.kept", ...kept });
  const { settings, treesDir = join(sessionDir, "trees"), furnishing = { setup: null, share: [] } } = context.state;
  const place = { run: executionId, mode, cwd, sessionDir, treesDir };
  const choice = await chooseIsolation({
    ...place,
    ...{ repository, settings, kept, furnishing, at: context.runtime.clock.now() },
  });
  context.record(chosen(choice));
  return { stateUpdate: { kept, isolation: choice.isolation } };
}

function chosen({ isolation, linked, notes }: ChosenIsolation): ReportedEvent {
  const type = "isolation.chosen";
  if (isolation.mode === "shared") return { type, ...isolation };
  const { dir, base, shared = [], setup = null } = isolation.trees;
  return { type, mode: "trees", dir, base, shared, linked, notes, ...(setup === null ? {} : { setup }) };
}

const modeTexts: Readonly<Record<RalphState["mode"], string>> = {
  plan: "plan",
  tasks: "feature-list",
  yolo: "yolo (freestyle)",
};

/** For people: the tasks themselves are in the run's state, whatever happens to the file. */
function keepCopy(from: string, to: string, redact: (text: string) => string): void {
  try {
    writeFileAtomically(to, redact(readFileSync(from, "utf8")));
  } catch (thrown) {
    // Removed meanwhile, or a full disk: nothing is read from the copy.
    if (!isSystemError(thrown)) throw thrown;
  }
}
