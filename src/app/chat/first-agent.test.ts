import { expect, test } from "bun:test";
import type { BackendReport } from "../../agents/port.ts";
import { tempTree } from "../../../tests/support/temp-tree.ts";
import { firstAgent } from "./first-agent.ts";

const report = (kind: string, isUsable: boolean, login: BackendReport["login"] = "ok"): BackendReport => ({
  kind,
  isUsable,
  login,
  notes: [],
});

test("the only one that works is taken, several are a choice, none is the embedded one", () => {
  using tree = tempTree({});
  const home = tree.path("h");
  const embedded = report("scripted", true, "not-needed");

  expect(firstAgent([report("claude", false), report("opencode", true), embedded], home)).toEqual({
    kind: "found",
    agent: "opencode",
  });
  // A model of the user's own needs no login.
  expect(firstAgent([report("claude", false), report("copilot", true, "not-needed"), embedded], home)).toEqual({
    kind: "found",
    agent: "copilot",
  });
  expect(firstAgent([report("claude", true), report("opencode", true)], home)).toEqual({
    kind: "choose",
    agents: ["claude", "opencode"],
  });
  const none = firstAgent([report("claude", false), embedded], home);
  expect(none).toEqual({ kind: "none", script: tree.path("h/chat/welcome.json") });
});
