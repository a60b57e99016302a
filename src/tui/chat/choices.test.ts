import { expect, test } from "bun:test";
import { matchingChoices, modelChoices, runChoices, serverChoices } from "./choices.ts";

const none = () => [];

test("models are found by id and name, and chosen by id", () => {
  const list = modelChoices([
    { id: "anthropic/opus", name: "Opus", description: "large" },
    { id: "openai/gpt", name: "openai/gpt" },
  ]);

  expect(list.choices[1]).toEqual({ label: "openai/gpt", detail: "", effect: { type: "model", model: "openai/gpt" } });
  expect(matchingChoices({ ...list, query: "large" }, none).map(({ label }) => label)).toEqual(["anthropic/opus"]);
});

test("a run is resumed by the command that a person would type", () => {
  const [choice] = runChoices([{ id: "a1b2c3d4-e5", workflow: "ralph", prompt: "Fix\nit", reason: "paused" }]).choices;

  expect(choice).toEqual({
    label: "a1b2c3d4",
    detail: "ralph  paused  Fix it",
    effect: { type: "submit", line: "/resume a1b2c3d4-e5" },
  });
});

test("servers have their state, their tools or their error, and are switched to the other state", () => {
  const { choices, staysOpen } = serverChoices([
    { name: "files", status: "connected", tools: ["read", "write"] },
    { name: "web", status: "disabled" },
    { name: "db", status: "failed", error: "no such file" },
  ]);

  expect(staysOpen).toBe(true);
  expect(choices.map(({ detail }) => detail)).toEqual([
    "● connected  2 tools: read, write",
    "○ disabled",
    "● failed  no such file",
  ]);
  expect(choices.map(({ effect }) => effect)).toEqual([
    { type: "server", name: "files", isOn: false },
    { type: "server", name: "web", isOn: true },
    { type: "server", name: "db", isOn: false },
  ]);
});
