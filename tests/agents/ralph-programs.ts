// The three programs as `atomic -a KIND` starts them: what each needs in the environment of atomic's caller.

import type { AgentVocabulary } from "../../src/testing/model-server/vocabulary.ts";
import { claudeVariables, rigBackend as claude } from "./backends/claude.ts";
import { copilotVariables, rigBackend as copilot } from "./backends/copilot.ts";
import { quiet, rigBackend as opencode, userConfig } from "./backends/opencode.ts";
import type { RigPlace } from "./rig.ts";

export interface RalphProgram {
  readonly kind: string;
  readonly vocabulary: AgentVocabulary;
  readonly model: string;
  /** A model that a user may switch to. */
  readonly otherModel: string;
  /** Whether it reports the cost of a turn. */
  readonly statesCost: boolean;
  readonly variables: (place: RigPlace) => Readonly<Record<string, string>>;
}

export const claudeProgram: RalphProgram = {
  kind: claude.kind,
  vocabulary: claude.vocabulary,
  model: String(claude.open.model),
  otherModel: claude.otherModel,
  statesCost: true,
  variables: claudeVariables,
};

export const copilotProgram: RalphProgram = {
  kind: copilot.kind,
  vocabulary: copilot.vocabulary,
  model: String(copilot.open.model),
  otherModel: copilot.otherModel,
  statesCost: false,
  variables: copilotVariables,
};

export const opencodeProgram: RalphProgram = {
  kind: opencode.kind,
  vocabulary: opencode.vocabulary,
  model: String(opencode.open.model),
  otherModel: opencode.otherModel,
  statesCost: true,
  variables: (place) => ({ ...quiet, OPENCODE_CONFIG_CONTENT: JSON.stringify(userConfig(place)) }),
};
