// Converts the model names of providers to the four names that every backend understands.

import type { AgentModel } from "./entity.ts";

const families: readonly AgentModel[] = ["opus", "sonnet", "haiku"];

/**
 * `anthropic/claude-opus-4-5` → `opus`. Anything that is not a Claude model is `inherit`: the run's own model is used,
 * and the id as written stays in `declared.model` for a backend that knows it.
 */
export function normalizeModel(model: string): AgentModel {
  const id = model.trim().toLowerCase();
  const family = families.find((name) => id === name);
  if (family !== undefined) return family;
  const last = id.split("/").at(-1) ?? "";
  if (!last.startsWith("claude")) return "inherit";
  return families.find((name) => last.split(/[-.@:[\s]/).includes(name)) ?? "inherit";
}
