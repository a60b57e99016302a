// One table of files as people write them for each provider, read from a real folder.

import { describe, expect, test } from "bun:test";
import type { UnifiedEntity } from "../entities/entity.ts";
import { tempTree, type TreeFile } from "../../../tests/support/temp-tree.ts";
import { providerSources } from "./entity-folders.ts";
import { loadEntityFolder } from "./load-entity-folder.ts";
import { loadOpencodeConfig } from "./load-opencode-config.ts";

interface Case {
  readonly what: string;
  readonly provider: UnifiedEntity["source"]["provider"];
  readonly location?: "project" | "user";
  readonly files: Readonly<Record<string, TreeFile>>;
  readonly found: readonly Partial<UnifiedEntity>[];
  readonly codes?: readonly string[];
}

const claudeAgent = `---
name: code-reviewer
description: Use this agent when: code was written. Examples:\\n<example>user: "hi"</example>
tools: Glob, Grep, Bash(git diff:*), mcp__ctx__Search
model: claude-opus-4-5
color: green
memory: project
hooks:
  PreToolUse:
    - matcher: Bash
---

You review code.
`;

const opencodeAgent = `---
description: Writes docs
mode: subagent
model: anthropic/claude-3-5-haiku
temperature: 0.1
tools:
  write: true
  edit: true
  bash: false
---
You write docs.
`;

const copilotAgent = `---
name: Test Specialist
description: Focuses on coverage
tools: ['read', 'search', 'edit']
target: github-copilot
---
You write tests.
`;

const opencodeJson = `{
  // what the team uses
  "$schema": "https://opencode.ai/config.json",
  "model": "openai/gpt-5",
  "command": {
    "test": { "template": "Run the tests: $ARGUMENTS", "description": "Run tests", "agent": "build", "model": "gpt-4o", },
    "from-file": { "template": "{file:./prompts/ship.txt}" },
  },
  "agent": {
    "docs": { "prompt": "You write docs.", "tools": { "bash": true, "write": false }, "mode": "subagent" },
    "off": { "prompt": "x", "disable": true },
  },
}`;

const cases: readonly Case[] = [
  {
    what: "a Claude agent with a sloppy description",
    provider: "claude",
    files: { ".claude/agents/whatever.md": claudeAgent },
    found: [
      {
        type: "agent",
        name: "code-reviewer",
        description: 'Use this agent when: code was written. Examples:\\n<example>user: "hi"</example>',
        prompt: "You review code.",
        tools: ["glob", "grep", "bash", "mcp__ctx__Search"],
        model: "opus",
        declared: { model: "claude-opus-4-5", tools: "Glob, Grep, Bash(git diff:*), mcp__ctx__Search" },
        extra: { color: "green", memory: "project", hooks: { PreToolUse: [{ matcher: "Bash" }] } },
      },
    ],
    codes: ["frontmatter-repaired"],
  },
  {
    what: "the worker of the design document: name and description by default",
    provider: "claude",
    files: { ".claude/agents/worker.md": "---\nallowed-tools: Bash, Task, Edit\nmodel: opus\n---\n\nOne task." },
    found: [{ name: "worker", description: "Agent: worker", tools: ["bash", "task", "edit"], model: "opus" }],
  },
  {
    what: "Claude commands, one without frontmatter",
    provider: "claude",
    files: {
      ".claude/commands/fix-issue.md":
        "---\nargument-hint: [issue-number]\nallowed-tools: Bash(gh:*)\n---\nFix $ARGUMENTS",
      ".claude/commands/plain.md": "Just do it: $ARGUMENTS",
    },
    found: [
      { type: "command", name: "fix-issue", argumentHint: "[issue-number]", tools: ["bash"], prompt: "Fix $ARGUMENTS" },
      { type: "command", name: "plain", description: "Command: plain", prompt: "Just do it: $ARGUMENTS" },
    ],
  },
  {
    what: "Copilot agents with display names and several models",
    provider: "copilot",
    files: {
      ".github/agents/CSharpExpert.agent.md": "---\nname: C# Expert\n---\nYou know C#.",
      ".github/agents/se-security.agent.md": "---\nname: 'SE: Security'\n---\nYou review.",
      ".github/agents/planner.agent.md":
        "---\nname: Code Planner\nmodel: ['GPT-5 (copilot)', 'Claude Sonnet 4.5 (copilot)']\n---\nYou plan.",
    },
    found: [
      { name: "csharpexpert", label: "C# Expert", description: "Agent: C# Expert" },
      {
        name: "code-planner",
        label: "Code Planner",
        model: "sonnet",
        declared: { models: ["GPT-5 (copilot)", "Claude Sonnet 4.5 (copilot)"] },
      },
      { name: "se-security", label: "SE: Security" },
    ],
  },
  {
    what: "a Claude skill in its folder, with files beside it",
    provider: "claude",
    files: {
      ".claude/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads PDFs\nlicense: MIT\n---\nRead it.",
      ".claude/skills/pdf/scripts/run.py": "raise SystemExit(1)",
    },
    found: [{ type: "skill", name: "pdf", description: "Reads PDFs", prompt: "Read it.", extra: { license: "MIT" } }],
  },
  {
    what: "OpenCode agents and commands, in folders of either spelling",
    provider: "opencode",
    files: {
      ".opencode/agents/docs.md": opencodeAgent,
      ".opencode/agent/old.md": "You are old.",
      ".opencode/command/build.md": "---\nagent: build\n---\nBuild it.",
      ".opencode/skills/x/SKILL.md": "Do x.",
    },
    found: [
      { type: "command", name: "build", extra: { agent: "build" } },
      { type: "skill", name: "x", description: "Skill: x" },
      {
        type: "agent",
        name: "docs",
        tools: ["write", "edit"],
        model: "haiku",
        extra: { mode: "subagent", temperature: 0.1 },
      },
      { type: "agent", name: "old", prompt: "You are old." },
    ],
  },
  {
    what: "an opencode.json with comments and trailing commas",
    provider: "opencode",
    files: { "opencode.json": opencodeJson, "prompts/ship.txt": "Ship it.\n" },
    found: [
      {
        type: "command",
        name: "test",
        prompt: "Run the tests: $ARGUMENTS",
        model: "inherit",
        declared: { model: "gpt-4o" },
        extra: { agent: "build" },
      },
      { type: "command", name: "from-file", prompt: "Ship it." },
      { type: "agent", name: "docs", tools: ["bash"], extra: { mode: "subagent" } },
    ],
    codes: ["disabled"],
  },
  {
    what: "Copilot agents, skills and commands of a project",
    provider: "copilot",
    files: {
      ".github/agents/test-specialist.agent.md": copilotAgent,
      ".github/skills/triage/SKILL.md": "---\ndescription: Triage\n---\nTriage it.",
      ".github/commands/ship.prompt.md": "Ship it.",
    },
    found: [
      { type: "command", name: "ship" },
      { type: "skill", name: "triage", description: "Triage" },
      {
        type: "agent",
        name: "test-specialist",
        tools: ["read", "search", "edit"],
        extra: { target: "github-copilot" },
      },
    ],
  },
  {
    what: "Copilot agents of a user",
    provider: "copilot",
    location: "user",
    files: { ".copilot/agents/mine.agent.md": "Mine.", ".atomic/.copilot/agents/managed.md": "Managed." },
    found: [{ name: "mine" }, { name: "managed" }],
  },
  {
    what: "Atomic's own folders, with aliases",
    provider: "atomic",
    files: {
      ".atomic/commands/go.md": "---\naliases: [g, go-go]\n---\nGo.",
      ".atomic/skills/s/SKILL.md": "---\naliases: one, two\n---\nS.",
      ".atomic/agents/a.md": "---\ntools: []\n---\nA.",
    },
    found: [
      { type: "command", name: "go", aliases: ["g", "go-go"] },
      { type: "skill", name: "s", aliases: ["one", "two"] },
      { type: "agent", name: "a", tools: [] },
    ],
  },
];

describe("the loaders read", () => {
  for (const { what, provider, location = "project", files, found, codes = [] } of cases) {
    test(what, () => {
      using tree = tempTree(files);
      const sources = providerSources(provider, tree.root, location);
      const results = [...sources.folders.map(loadEntityFolder), ...sources.configFiles.map(loadOpencodeConfig)];
      const entities = results.flatMap((result) => result.found.map((each) => each.entity));
      expect(entities).toMatchObject(found);
      expect(entities).toHaveLength(found.length);
      expect(results.flatMap((result) => result.diagnostics.map((each) => each.code))).toEqual(codes as never);
      for (const entity of entities) {
        expect(entity.source.provider).toBe(provider);
        expect(entity.source.location).toBe(location);
        expect(entity.source.path).toStartWith(tree.root);
      }
    });
  }
});
