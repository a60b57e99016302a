// The evidence for a run's work: per requirement the checks that ran, how they ended, and whether the folder still
// holds what they checked.

import { existsSync } from "node:fs";
import type { SessionView } from "../workflows/sessions/session-view.ts";
import type { Evidence } from "../workflows/sessions/turn-views.ts";
import { type EvidenceAge, evidenceAges } from "../workflows/checks/evidence-age.ts";

export interface RequirementEvidence {
  /** A task, by id; null: the whole run. */
  readonly task: string | null;
  readonly title: string;
  readonly status: string;
  /** The last one of each command. */
  readonly checks: readonly (Evidence & { readonly age: EvidenceAge })[];
}

/** `isFolderRead`: false for a record that someone else left; it may name any folder. */
export async function runEvidence(view: SessionView, isFolderRead: boolean): Promise<readonly RequirementEvidence[]> {
  const requirements = [
    ...[...view.tasks.values()].map(({ id, title, status }) => ({ task: id, title, status: status as string })),
    ...(view.evidence.has("") ? [{ task: null, title: "the whole run", status: view.status as string }] : []),
  ];
  const last = requirements.map(({ task }) => lastOfEach(view.evidence.get(task ?? "") ?? []));
  const all = last.flat();
  const canLook = isFolderRead && view.cwd !== "" && existsSync(view.cwd);
  const ages = canLook ? await evidenceAges(view.cwd, all) : [];
  const ageOf = new Map(all.map((evidence, i) => [evidence, ages[i]]));
  return requirements.map((requirement, i) => ({
    ...requirement,
    checks: (last[i] ?? []).map((evidence) => ({ ...evidence, age: ageOf.get(evidence) ?? { state: "unknown" } })),
  }));
}

function lastOfEach(evidence: readonly Evidence[]): readonly Evidence[] {
  return [...new Map(evidence.map((each) => [each.command, each])).values()];
}
