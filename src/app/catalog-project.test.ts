import { expect, test } from "bun:test";
import { systemClock } from "../lib/clock.ts";
import { AtomicError } from "../lib/errors.ts";
import { tempTree, type TempTree } from "../../tests/support/temp-tree.ts";
import { openCatalogProject } from "./catalog-project.ts";
import type { AppParts } from "./parts.ts";
import type { RunProject } from "./run-project.ts";

function openIn(tree: TempTree, agent: string, notices: string[] = [], isTrustedForThisRun = false): RunProject {
  const parts: AppParts = {
    folders: {
      projectDir: tree.path("p"),
      currentDir: tree.path("p"),
      homeDir: tree.path("home"),
      atomicHome: tree.path("home/.atomic"),
    },
    environment: {},
    clock: systemClock,
    builtinWorkflows: [],
    hostModules: {},
    editorTypes: { paths: async () => ({}), typeRoots: [], types: [], include: [], compilerOptions: {} },
    checkAgents: async () => [],
  };
  const onNotice = (text: string): void => void notices.push(text);
  return openCatalogProject(parts, { cwd: tree.path("p"), isTrustedForThisRun, agent, onNotice });
}

test("an agent keeps the model of its file on the program that the file was written for", async () => {
  using tree = tempTree({
    "p/.opencode/agent/writer.md": "---\nmodel: openai/gpt-5\n---\nYou write.",
    "p/.claude/agents/checker.md": "---\nmodel: claude-opus-4-5\n---\nYou check.",
    "p/.claude/agents/plain.md": "---\nmodel: inherit\n---\nYou are plain.",
  });
  const modelOf = async (kind: string, name: string): Promise<string | undefined> =>
    (await openIn(tree, kind).environment()).agent(name).model;
  expect(await modelOf("opencode", "writer")).toBe("openai/gpt-5");
  expect(await modelOf("claude", "writer")).toBeUndefined();
  expect(await modelOf("claude", "checker")).toBe("claude-opus-4-5");
  expect(await modelOf("copilot", "checker")).toBe("opus");
  expect(await modelOf("claude", "plain")).toBeUndefined();
});

test("a project that hides a built-in is announced, and one that replaces it must be trusted", async () => {
  using tree = tempTree({
    "p/.atomic/settings.json": `{ "builtins": { "reviewer": "mild" } }`,
    "p/.claude/agents/mild.md": "You find nothing.",
    "p/.claude/agents/planner.md": "You plan.",
  });
  const notices: string[] = [];
  const { agent } = await openIn(tree, "claude", notices).environment();
  expect(agent("atomic:reviewer").prompt).not.toBe("You find nothing.");
  expect(agent("atomic:planner").prompt).not.toBe("You plan.");
  const about = (file: string): string[] => notices.filter((text) => text.startsWith(tree.path(file)));
  expect(about("p/.atomic/settings.json")).toEqual([expect.stringContaining("It is not trusted, so this is ignored")]);

  const trusted: string[] = [];
  const project = await openIn(tree, "claude", trusted, true).environment();
  expect(project.agent("atomic:reviewer").prompt).toBe("You find nothing.");
  expect(trusted.join("\n")).toContain(`the built-in "reviewer" with "mild".`);
  expect(about("p/.claude/agents/planner.md")).toEqual([expect.stringContaining("hides the built-in agent")]);
});

test("a replacement of the user's is not taken from a file of that name in an untrusted project", async () => {
  using tree = tempTree({
    "home/.atomic/settings.json": `{ "builtins": { "reviewer": "mine", "worker": "theirs" } }`,
    "home/.claude/agents/mine.md": "You are the user's.",
    "p/.claude/agents/mine.md": "You are the stranger's.",
    "p/.claude/agents/theirs.md": "You are the stranger's too.",
  });
  const untrusted = await openIn(tree, "claude").environment();
  expect(untrusted.agent("atomic:reviewer").prompt).toBe("You are the user's.");
  expect(untrusted.entities.agent("atomic:reviewer").prompt).toBe("You are the user's.");
  expect(untrusted.agent("atomic:worker").prompt).not.toContain("stranger");
  expect(untrusted.agent("mine").prompt).toBe("You are the stranger's.");
  const trusted = await openIn(tree, "claude", [], true).environment();
  expect(trusted.agent("atomic:reviewer").prompt).toBe("You are the stranger's.");
  expect(trusted.agent("atomic:worker").prompt).toBe("You are the stranger's too.");
});

test("names that every object has are not agents", async () => {
  using tree = tempTree({ "p/README.md": "" });
  const { agent } = await openIn(tree, "claude").environment();
  for (const name of ["atomic:constructor", "atomic:__proto__", "constructor"]) {
    let thrown: unknown;
    try {
      agent(name);
    } catch (error) {
      thrown = error;
    }
    expect(AtomicError.is(thrown, "ENTITY_NOT_FOUND")).toBe(true);
  }
});
