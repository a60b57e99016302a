// Which of several models an agent runs on: definitions may name them in order of preference, by id or as people see
// them ("Claude Sonnet 4.5 (copilot)"). The first that the backend has counts.

import { AtomicError } from "../lib/errors.ts";
import { isKnownFamily, modelFamilies } from "./model-families.ts";
import type { AgentClient, ModelInfo } from "./port.ts";

type ModelClient = Pick<AgentClient, "kind" | "capabilities" | "models">;

/** Undefined when the backend has none of them: the run's own model serves then. */
export async function preferredModel(wanted: readonly string[], client: ModelClient): Promise<string | undefined> {
  let known: readonly ModelInfo[] | undefined;
  for (const model of wanted) {
    if (isKnownFamily(model, client.kind)) return model;
    if (modelFamilies.has(model)) continue;
    known ??= await modelsOf(client);
    // A backend that can't list its models is asked for the first.
    if (known === undefined) return idOf(model);
    const found = known.find(({ id, name }) =>
      [id, idOf(id), idOf(name)].some((each) => each === model || each === idOf(model)),
    );
    if (found !== undefined) return found.id;
  }
  return undefined;
}

async function modelsOf(client: ModelClient): Promise<readonly ModelInfo[] | undefined> {
  if (client.capabilities.models !== true) return undefined;
  try {
    return await client.models();
  } catch (error) {
    // Without a login, for example, there is no list; the turn reports the problem.
    if (AtomicError.is(error)) return undefined;
    throw error;
  }
}

/** "Claude Sonnet 4.5 (copilot)" → "claude-sonnet-4.5" */
function idOf(model: string): string {
  return model
    .replace(/\([^)]*\)\s*$/, "")
    .trim()
    .toLowerCase()
    .replace(/\s+/g, "-");
}
