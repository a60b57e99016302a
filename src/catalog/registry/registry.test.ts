import { describe, expect, test } from "bun:test";
import { AtomicError } from "../../lib/errors.ts";
import type { UnifiedEntity } from "../entities/entity.ts";
import { tempTree } from "../../../tests/support/temp-tree.ts";
import { ralphMetadata } from "../../workflows/ralph/metadata.ts";
import { getCommandHint } from "./command-hint.ts";
import { createEntityRegistry, entityRegistry, type EntityRegistry } from "./entity-registry.ts";
import { createNodeEntities } from "./entity-source.ts";
import { initializeWorkflowsSDK } from "./initialize-workflows-sdk.ts";
import {
  getSubagentRegistry,
  populateSubagentRegistry,
  setSubagentRegistry,
  SubagentTypeRegistry,
} from "./subagent-registry.ts";

function entity(parts: Partial<UnifiedEntity> & { name: string }): UnifiedEntity {
  const source = { provider: "claude", location: "project" } as const;
  return { type: "skill", description: "d", prompt: parts.name, source, ...parts };
}

function registryOf(...entities: UnifiedEntity[]): EntityRegistry {
  const registry = createEntityRegistry();
  for (const each of entities) registry.register(each);
  return registry;
}

describe("EntityRegistry", () => {
  test("finds by name and alias without regard to case, each type apart", () => {
    const registry = registryOf(
      entity({ name: "commit", aliases: ["CI"] }),
      entity({ name: "commit", type: "agent", prompt: "agent" }),
    );
    expect(registry.getSkill("COMMIT")?.prompt).toBe("commit");
    expect(registry.getSkill("ci")?.name).toBe("commit");
    expect(registry.getAgent("commit")?.prompt).toBe("agent");
    expect(registry.getAgent("ci")).toBeUndefined();
    expect(registry.getCommand("commit")).toBeUndefined();
  });

  test("prefers a name to an alias", () => {
    const registry = registryOf(entity({ name: "a", aliases: ["b"] }), entity({ name: "b" }));
    expect(registry.getSkill("b")?.name).toBe("b");
  });

  const builtin = { provider: "atomic", location: "builtin" } as const;
  const user = { provider: "claude", location: "user" } as const;
  const project = { provider: "copilot", location: "project" } as const;

  for (const order of [
    [builtin, user, project],
    [project, user, builtin],
    [user, project, builtin],
  ]) {
    test(`lets the project win when registered ${order.map((each) => each.location).join(", ")}`, () => {
      const registry = registryOf(...order.map((source) => entity({ name: "x", prompt: source.location, source })));
      expect(registry.getSkill("x")?.prompt).toBe("project");
      expect(registry.getSkill("atomic:x")?.prompt).toBe("builtin");
    });
  }

  test("takes the newer of two equals and forgets the aliases of the older", () => {
    const registry = registryOf(entity({ name: "x", aliases: ["old"] }), entity({ name: "X", prompt: "new" }));
    expect(registry.getSkill("x")?.prompt).toBe("new");
    expect(registry.getSkill("old")).toBeUndefined();
    expect(registry.allSkills()).toHaveLength(1);
  });

  test("searches by prefix of name or alias, the exact match first", () => {
    const registry = registryOf(
      entity({ name: "codebase" }),
      entity({ name: "code", aliases: ["c"] }),
      entity({ name: "other", aliases: ["codex"] }),
      entity({ name: "zzz" }),
    );
    const names = (prefix: string): string[] => registry.searchSkills(prefix).map((each) => each.name);
    expect(names("code")).toEqual(["code", "codebase", "other"]);
    expect(names("C")).toEqual(["code", "codebase", "other"]);
    expect(names("")).toEqual(["code", "codebase", "other", "zzz"]);
    expect(names("nope")).toEqual([]);
  });

  test("refuses a name that could not be typed", () => {
    const attempt = (): EntityRegistry => registryOf(entity({ name: "../a" }));
    expect(attempt).toThrow("looks like a path");
  });

  test("reads one provider's folders and keeps what was wrong with them", async () => {
    using tree = tempTree({
      ".claude/skills/s/SKILL.md": "S",
      ".claude/agents/a.md": "A",
      ".claude/agents/bad.md": "---js\n1\n---\n",
      ".opencode/agents/no.md": "N",
    });
    const registry = createEntityRegistry();
    await registry.registerFromProvider("claude", tree.root);
    expect(registry.allSkills().map((each) => each.name)).toEqual(["s"]);
    expect(registry.allAgents().map((each) => each.name)).toEqual(["a"]);
    expect(registry.getAgent("a")?.source.location).toBe("project");
    expect(registry.diagnostics().map((each) => each.code)).toEqual(["frontmatter-script"]);
  });
});

describe("initializeWorkflowsSDK", () => {
  test("registers built-ins, the user's and the project's into the default registry", async () => {
    using tree = tempTree({
      "project/.claude/commands/ship.md": "Ship.",
      "project/.claude/skills/commit/SKILL.md": "Our commit.",
      "home/.atomic/agents/mine.md": "Mine.",
      "home/.claude/commands/ship.md": "Theirs.",
    });
    const options = { projectPath: tree.path("project"), userPath: tree.path("home") };
    expect(await initializeWorkflowsSDK(options)).toBe(entityRegistry);
    expect(entityRegistry.getCommand("ship")?.prompt).toBe("Ship.");
    expect(entityRegistry.getSkill("commit")?.prompt).toBe("Our commit.");
    expect(entityRegistry.getSkill("atomic:commit")?.prompt).toContain("git status --short");
    expect(entityRegistry.getAgent("mine")?.source.location).toBe("user");
    expect(entityRegistry.getAgent("atomic:worker")?.source.location).toBe("builtin");
    expect(entityRegistry.allAgents()).toHaveLength(11);

    // A second call starts afresh.
    await initializeWorkflowsSDK({ ...options, providers: ["copilot"] });
    expect(entityRegistry.getCommand("ship")).toBeUndefined();
    entityRegistry.clear();
  });
});

describe("getCommandHint", () => {
  const registry = registryOf(
    entity({ name: "commit", argumentHint: "[our hint]" }),
    entity({ name: "create-spec" }),
    entity({ name: "ask", type: "agent", argumentHint: "<question>" }),
  );
  const cases: [name: string, hint: string | undefined][] = [
    ["commit", "[our hint]"],
    ["Commit", "[our hint]"],
    ["create-spec", "<research-doc-path>"],
    ["ask", "<question>"],
    ["model", "select | refresh | list [provider] | <model-name>"],
    ["ralph", ralphMetadata.argumentHint],
    ["loop", ralphMetadata.argumentHint],
    ["explain-code", "<file-path> [function-name]"],
    ["create-gh-pr", "[title]"],
    ["clear", ""],
    ["nothing", undefined],
    ["__proto__", undefined],
    ["constructor", undefined],
  ];
  for (const [name, hint] of cases) {
    test(`answers ${JSON.stringify(hint)} for ${name}`, () => {
      expect(getCommandHint(name, registry)).toBe(hint as never);
    });
  }
});

describe("entities for nodes", () => {
  const entities = createNodeEntities(
    registryOf(
      entity({ name: "commit", model: "opus", tools: ["bash"] }),
      entity({ name: "other", model: "inherit" }),
      entity({ name: "debugger", type: "agent" }),
    ),
  );

  test("carry prompt, model and tools", () => {
    expect(entities.skill("commit")).toEqual({ name: "commit", prompt: "commit", model: "opus", tools: ["bash"] });
    expect(entities.skill("other")).toEqual({ name: "other", prompt: "other" });
  });

  const missing: [call: () => unknown, text: string][] = [
    [() => entities.skill("comit"), 'Skill not found: "comit" (did you mean "commit"?)'],
    [() => entities.agent("debuger"), 'Agent not found: "debuger" (did you mean "debugger"?)'],
    [() => entities.command("deploy"), 'Command not found: "deploy"'],
  ];
  for (const [call, text] of missing) {
    test(`say: ${text}`, () => {
      let thrown: unknown;
      try {
        call();
      } catch (error) {
        thrown = error;
      }
      expect(AtomicError.is(thrown, "ENTITY_NOT_FOUND")).toBe(true);
      expect((thrown as Error).message).toBe(text);
    });
  }
});

test("the sub-agent registry is one for all, until another is set", () => {
  const first = getSubagentRegistry();
  expect(getSubagentRegistry()).toBe(first);
  const own = new SubagentTypeRegistry();
  setSubagentRegistry(own);
  expect(populateSubagentRegistry([entity({ name: "planner", type: "agent" })])).toBe(1);
  expect(own.get("Planner")?.info).toEqual({
    name: "planner",
    description: "d",
    source: "project",
    filePath: "builtin:planner.md",
  });
  expect(own.has("planner")).toBe(true);
  expect(own.getAll()).toHaveLength(1);
  own.clear();
  expect(own.has("planner")).toBe(false);
  setSubagentRegistry(first);
});
