import { describe, expect, test } from "bun:test";
import { builtinsHidden, loadCatalog, type Catalog, type CatalogOptions } from "./catalog.ts";
import type { WorkflowInfo } from "./modules/workflow-file.ts";
import { tempTree, type TempTree } from "../../tests/support/temp-tree.ts";

const ralph: WorkflowInfo = {
  name: "ralph",
  description: "Start autonomous implementation workflow",
  aliases: ["loop"],
  form: "graph",
  options: {},
  prompt: "optional",
};

function load(tree: TempTree, options: Partial<CatalogOptions> = {}): Catalog {
  const roots = { projectDir: tree.path("project"), homeDir: tree.path("home"), atomicHome: tree.path("home/.atomic") };
  return loadCatalog({ roots, builtinWorkflows: [ralph], ...options });
}

function fileOf(catalog: Catalog, name: string): string | undefined {
  return catalog.agents.find((agent) => agent.name === name)?.source.path;
}

const agentFolders = [
  "project/.atomic/agents",
  "project/.claude/agents",
  "project/.opencode/agents",
  "project/.github/agents",
  "home/.atomic/agents",
  "home/.claude/agents",
  "home/.opencode/agents",
  "home/.copilot/agents",
  "home/.atomic/.claude/agents",
  "home/.atomic/.opencode/agents",
  "home/.atomic/.copilot/agents",
];

describe("the order of precedence", () => {
  test("is project, user, managed; and inside a level atomic, claude, opencode, copilot", () => {
    for (let first = 0; first < agentFolders.length; first++) {
      const left = agentFolders.slice(first);
      using tree = tempTree(Object.fromEntries(left.map((folder) => [`${folder}/a.md`, `From ${folder}`])));
      const catalog = load(tree);
      expect(fileOf(catalog, "a")).toBe(tree.path(left[0] ?? "", "a.md"));
      expect(catalog.hidden.filter((each) => each.name === "a")).toHaveLength(left.length - 1);
    }
  });

  test("puts the folder of the agent in use right after atomic's own", () => {
    const files = Object.fromEntries(agentFolders.slice(0, 4).map((folder) => [`${folder}/a.md`, "A"]));
    using tree = tempTree(files);
    expect(fileOf(load(tree, { activeAgent: "copilot" }), "a")).toBe(tree.path("project/.atomic/agents/a.md"));
    using other = tempTree(Object.fromEntries(Object.entries(files).slice(1)));
    expect(fileOf(load(other, { activeAgent: "copilot" }), "a")).toBe(other.path("project/.github/agents/a.md"));
    expect(fileOf(load(other, { activeAgent: "opencode" }), "a")).toBe(other.path("project/.opencode/agents/a.md"));
    expect(fileOf(load(other), "a")).toBe(other.path("project/.claude/agents/a.md"));
  });

  test("takes a workflow from the project, then from the user, then from the program", () => {
    using tree = tempTree({
      "project/.atomic/workflows/x.ts": `export const name = "Deploy"; export const aliases = ["d"];`,
      "home/.atomic/workflows/deploy.ts": `export const description = "global";`,
      "home/.atomic/workflows/ralph.ts": "export default () => null;",
      "home/.atomic/workflows/sessions/abc/session.json": "{}",
    });
    const catalog = load(tree);
    expect(catalog.workflows.map(({ info, source }) => [info.name, source])).toEqual([
      ["deploy", "local"],
      ["ralph", "global"],
    ]);
    expect(builtinsHidden(catalog).map((each) => each.file)).toEqual([tree.path("home/.atomic/workflows/ralph.ts")]);
  });

  test("reads a home folder that is also the project once, as the user's own", () => {
    using tree = tempTree({
      "home/.claude/agents/a.md": "A",
      "home/.atomic/workflows/w.ts": "export default () => null;",
    });
    const roots = { projectDir: tree.path("home"), homeDir: tree.path("home"), atomicHome: tree.path("home/.atomic") };
    const catalog = loadCatalog({ roots });
    expect(catalog.agents.find((agent) => agent.name === "a")?.source.location).toBe("user");
    expect(catalog.workflows.map((entry) => entry.source)).toEqual(["global"]);
    expect(catalog.hidden).toEqual([]);
  });
});

test("a user's own folders may link to anywhere, but linked code is not the user's own", () => {
  using tree = tempTree({
    "dotfiles/a.md": "A",
    "dotfiles/w.ts": "export default () => null;",
    "home/.claude/agents/a.md": { link: "../../../dotfiles/a.md" },
    "home/.atomic/workflows/linked.ts": { link: "../../../dotfiles/w.ts" },
    "home/.atomic/workflows/own.ts": "export default () => null;",
  });
  const catalog = load(tree, { builtinWorkflows: [] });
  expect(fileOf(catalog, "a")).toBe(tree.path("home/.claude/agents/a.md"));
  expect(catalog.workflows.map((entry) => [entry.info.name, entry.file?.isOwn])).toEqual([
    ["linked", false],
    ["own", true],
  ]);
  expect(catalog.diagnostics).toEqual([]);
});

describe("a built-in", () => {
  test("that is hidden is announced once, by name and file", () => {
    using tree = tempTree({
      "project/.claude/skills/commit/SKILL.md": "Ours.",
      "home/.claude/skills/commit/SKILL.md": "Mine.",
    });
    const announced = builtinsHidden(load(tree));
    const file = tree.path("project/.claude/skills/commit/SKILL.md");
    expect(announced).toEqual([
      {
        severity: "warning",
        code: "hides-builtin",
        message: `The skill "commit" (${file}) hides the built-in skill.`,
        file,
      },
    ]);
  });

  test("keeps its alias unless another entity has that name", () => {
    using tree = tempTree({ "project/.claude/skills/ci/SKILL.md": "Ours." });
    const catalog = load(tree);
    expect(catalog.skills.find((skill) => skill.name === "commit")?.aliases).toBeUndefined();
    expect(catalog.skills.find((skill) => skill.name === "research-codebase")?.aliases).toEqual(["research"]);
  });

  test("loses its slash command to a project's entity of another kind, and that is announced", () => {
    using tree = tempTree({ "project/.claude/agents/commit.md": "Agent." });
    const catalog = load(tree);
    expect(catalog.slashNames.find((each) => each.name === "commit")?.kind).toBe("agent");
    expect(catalog.skills.some((skill) => skill.name === "commit")).toBe(true);
    expect(builtinsHidden(catalog)).toHaveLength(1);
  });
});

describe("names", () => {
  test("compare without regard to case, also as aliases", () => {
    using tree = tempTree({
      "project/.claude/agents/Reviewer2.md": "---\naliases: [RV]\n---\nA",
      "home/.claude/agents/reviewer2.md": "B",
      "home/.claude/agents/rv.md": "C",
    });
    const catalog = load(tree);
    expect(catalog.agents.filter((agent) => agent.name === "reviewer2")).toHaveLength(1);
    expect(catalog.diagnostics.map((each) => each.code)).toEqual(["hides", "alias-conflict"]);
  });

  test("of core commands can't be taken, by a name or an alias", () => {
    using tree = tempTree({
      "project/.atomic/workflows/help.ts": `export const aliases = ["h"];`,
      "project/.atomic/workflows/fine.ts": `export const aliases = ["exit", "f"];`,
      "project/.claude/commands/MODEL.md": "Do it.",
    });
    const catalog = load(tree);
    expect(catalog.diagnostics.map((each) => [each.code, each.file])).toEqual([
      ["core-command", tree.path("project/.atomic/workflows/fine.ts")],
      ["core-command", tree.path("project/.atomic/workflows/help.ts")],
      ["core-command", tree.path("project/.claude/commands/MODEL.md")],
    ]);
    expect(catalog.workflows.map((entry) => entry.info.name)).toEqual(["fine", "help", "ralph"]);
    const slash = catalog.slashNames.flatMap((each) => [each.name, ...each.aliases]);
    expect(slash).toContain("f");
    for (const core of ["help", "exit", "model"]) expect(slash).not.toContain(core);
  });

  test("that two files of one folder share go to the first, and the second is refused", () => {
    using tree = tempTree({
      "project/.claude/agents/a.md": "---\nname: same\n---\nA",
      "project/.claude/agents/b.md": "---\nname: Same\n---\nB",
    });
    const catalog = load(tree);
    expect(fileOf(catalog, "same")).toBe(tree.path("project/.claude/agents/a.md"));
    expect(catalog.diagnostics).toMatchObject([
      { severity: "error", code: "duplicate-name", file: tree.path("project/.claude/agents/b.md") },
    ]);
  });
});

test("a catalog is frozen all the way down", () => {
  using tree = tempTree({ "project/.claude/agents/a.md": "---\nextra: { deep: [1] }\n---\nA" });
  const catalog = load(tree);
  const unfrozen: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    if (!Object.isFrozen(value)) unfrozen.push(path);
    for (const [key, part] of Object.entries(value)) visit(part, `${path}.${key}`);
  };
  visit(catalog.agents, "agents");
  visit(catalog.workflows, "workflows");
  visit(catalog.slashNames, "slashNames");
  expect(unfrozen).toEqual([]);
});
