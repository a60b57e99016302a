import { expect, test } from "bun:test";
import { withKnownModel } from "./model-families.ts";

const definition = { name: "analyst", prompt: "Look.", model: "opus" };

test("a family of models is asked for where it is known, and left to the run's own model elsewhere", () => {
  for (const kind of ["claude", "scripted", "replay"]) expect(withKnownModel(definition, kind).model).toBe("opus");
  for (const kind of ["opencode", "copilot", "acp:gemini"])
    expect(withKnownModel(definition, kind).model).toBeUndefined();
});

test("a model that is not a family is requested from every agent", () => {
  const precise = { ...definition, model: "anthropic/claude-opus-4-8" };
  expect(withKnownModel(precise, "opencode")).toEqual(precise);
});
