import { describe, expect, test } from "bun:test";
import { loadCatalog } from "../catalog/catalog.ts";
import { resolveSlashNames } from "../catalog/resolve/slash-names.ts";
import { tempTree, type TempTree } from "../../tests/support/temp-tree.ts";
import type { CommandRegistry } from "./command-registry.ts";
import { createCommands, type CommandPorts } from "./create-commands.ts";
import type { CommandResult, SlashCommand } from "./slash-command.ts";
import { parseSlashLine, splitWords } from "./slash-line.ts";

const models = [
  { id: "anthropic/sonnet", name: "Sonnet" },
  { id: "openai/gpt", name: "openai/gpt" },
];
const ports: CommandPorts = {
  models: { current: () => "sonnet", list: async () => models, refresh: async () => models },
  servers: { servers: async () => [{ name: "files", status: "connected" }], switchServer: async () => undefined },
  activeWorkflow: () => undefined,
  runOptions: { "max-iterations": { type: "number", description: "Limit", default: 100 } },
};

const files = {
  "p/.atomic/workflows/build.ts": `export const name = "build"; export const description = "Builds"; export const aliases = ["b"];
    export const options = { depth: { type: "number", default: 2, description: "Depth" }, dryRun: { type: "boolean", description: "Dry" } };
    export default () => null;`,
  "p/.atomic/workflows/nightly.ts": `export const prompt = "none"; export const argumentHint = "nothing";`,
  "p/.atomic/workflows/help.ts": `export const description = "Not the help";`,
  "p/.claude/commands/fix.md": "---\ndescription: Fixes\nargument-hint: <issue>\n---\nFix $ARGUMENTS now.",
  "p/.claude/agents/tester.md": "---\ndescription: Tests things\n---\nYou test.",
};

function commandsIn(tree: TempTree, more: Partial<CommandPorts> = {}): CommandRegistry {
  const roots = { projectDir: tree.path("p"), homeDir: tree.path("h"), atomicHome: tree.path("h/.atomic") };
  return createCommands(loadCatalog({ roots }), { ...ports, ...more });
}

async function type(line: string, more: Partial<CommandPorts> = {}): Promise<CommandResult> {
  using tree = tempTree(files);
  const parsed = parseSlashLine(line);
  const command = commandsIn(tree, more).get(parsed?.name ?? "");
  if (command === undefined) throw new Error(`no command ${line}`);
  return await command.execute(parsed?.args ?? "");
}

const started = {
  kind: "workflow",
  workflow: "build",
  options: { depth: 2, dryRun: false },
  run: { "max-iterations": 100 },
};
const typed: readonly { line: string; gives: object }[] = [
  { line: "/clear", gives: { kind: "clear" } },
  { line: "/clear all", gives: { kind: "refused" } },
  { line: "/exit", gives: { kind: "exit" } },
  { line: "/QUIT", gives: { kind: "exit" } },
  { line: "/theme", gives: { kind: "theme", theme: "toggle" } },
  { line: "/theme light", gives: { kind: "theme", theme: "light" } },
  { line: "/theme pink", gives: { kind: "refused" } },
  { line: "/compact", gives: { kind: "compact" } },
  { line: "/compact keep the plan", gives: { kind: "compact", focus: "keep the plan" } },
  { line: "/model", gives: { kind: "message", text: "Model: sonnet" } },
  { line: "/model select", gives: { kind: "choose-model", models } },
  { line: "/model refresh", gives: { kind: "message", text: "2 models." } },
  { line: "/model list", gives: { kind: "message", text: "anthropic/sonnet  Sonnet\nopenai/gpt" } },
  { line: "/model list openai", gives: { kind: "message", text: "openai/gpt" } },
  { line: "/model list nobody", gives: { kind: "message", text: "No models of nobody." } },
  { line: "/model opus", gives: { kind: "model", model: "opus" } },
  { line: "/model opus please", gives: { kind: "refused" } },
  { line: "/mcp", gives: { kind: "servers", servers: [{ name: "files", status: "connected" }] } },
  { line: "/resume", gives: { kind: "resume" } },
  { line: "/resume abc", gives: { kind: "resume", id: "abc" } },
  { line: "/help nothing", gives: { kind: "refused", text: expect.stringContaining("Command not found") } },
  { line: "/help buil", gives: { kind: "refused", text: expect.stringContaining(`did you mean "build"?`) } },
  {
    line: "/help b",
    gives: { kind: "message", text: "/build <prompt> [--depth N] [--dry-run]\n  Builds\n  Also: /b" },
  },
  { line: "/fix #12 $& now", gives: { kind: "prompt", text: "Fix #12 $& now now." } },
  { line: "/fix", gives: { kind: "prompt", text: "Fix [no arguments provided] now." } },
  { line: "/tester the parser", gives: { kind: "subagent", agent: "tester", task: "the parser" } },
  { line: "/tester", gives: { kind: "subagent", agent: "tester", task: "[no arguments provided]" } },
  { line: "/build do it", gives: { ...started, prompt: "do it" } },
  { line: '/b "do it"', gives: { ...started, prompt: "do it" } },
  { line: `/build don't "quote" me\nsecond line`, gives: { ...started, prompt: `don't "quote" me\nsecond line` } },
  {
    line: '/build --depth 5 "do it" --dry-run --max-iterations 7',
    gives: { ...started, prompt: "do it", options: { depth: 5, dryRun: true }, run: { "max-iterations": 7 } },
  },
  { line: "/build", gives: { kind: "refused", text: "Please provide a prompt for the build workflow." } },
  { line: "/build --dept 5 x", gives: { kind: "refused", text: expect.stringContaining("Did you mean --depth?") } },
  { line: "/build --depth x y", gives: { kind: "refused", text: expect.stringContaining("must be a number") } },
  { line: '/build --depth 5 "x', gives: { kind: "refused", text: expect.stringContaining("never closed") } },
  { line: "/build --resume a1b2", gives: { kind: "resume", id: "a1b2" } },
  { line: "/nightly", gives: { kind: "workflow", workflow: "nightly", prompt: "" } },
  { line: "/nightly now", gives: { kind: "refused", text: "The nightly workflow takes no prompt." } },
];

describe("typing", () => {
  for (const { line, gives } of typed) {
    test(`${JSON.stringify(line)} gives ${(gives as { kind: string }).kind}`, async () => {
      expect(await type(line)).toMatchObject(gives);
    });
  }

  test("a workflow while another runs names the one that does", async () => {
    expect(await type("/build x", { activeWorkflow: () => "ralph" })).toEqual({
      kind: "refused",
      text: "A workflow is already active (ralph).",
    });
  });
});

test("/help lists everything by category, and a workflow called help does not take its place", async () => {
  using tree = tempTree(files);
  const registry = commandsIn(tree);
  expect(registry.get("help")?.category).toBe("builtin");
  const result = await registry.get("help")?.execute("");
  const text = result?.kind === "message" ? result.text : "";
  const places = ["Slash Commands", "/clear", "Workflows", "/build", "Skills", "/fix", "Sub-Agents", "/tester"];
  expect(places.map((each) => text.indexOf(each)).toSorted((a, b) => a - b)).toEqual(
    places.map((each) => text.indexOf(each)),
  );
  expect(text).not.toContain("Not the help");
});

test("hints come from the file, then from the declaration", () => {
  using tree = tempTree(files);
  const registry = commandsIn(tree);
  expect(registry.get("fix")?.argumentHint).toBe("<issue>");
  expect(registry.get("build")?.argumentHint).toBe("<prompt> [--depth N] [--dry-run]");
  expect(registry.get("nightly")?.argumentHint).toBe("nothing");
  expect(registry.get("tester")?.argumentHint).toBe("<task>");
  expect(registry.get("commit")?.argumentHint).toBe("[message] | --amend");
  expect(registry.get("clear")?.argumentHint).toBe("");
});

test("the catalog keeps every built-in name free", () => {
  using tree = tempTree({});
  const core = commandsIn(tree).inCategory("builtin");
  expect(core.map((each) => each.name)).toEqual([
    "clear",
    "compact",
    "exit",
    "help",
    "mcp",
    "model",
    "resume",
    "theme",
  ]);
  for (const { name } of core) {
    const candidate = { name, aliases: [], kind: "skill", level: "project" } as const;
    expect(resolveSlashNames([candidate]).names).toEqual([]);
  }
});

describe("the registry", () => {
  const command = (name: string, more: Partial<SlashCommand> = {}): SlashCommand => ({
    name,
    description: name,
    category: "skill",
    execute: () => ({ kind: "exit" }),
    ...more,
  });

  function registryOf(...commands: SlashCommand[]): CommandRegistry {
    using tree = tempTree({});
    const registry = commandsIn(tree);
    registry.clear();
    for (const each of commands) registry.register(each);
    return registry;
  }

  test("puts an exact match first, then names, then aliases", () => {
    const registry = registryOf(
      command("commit"),
      command("comment"),
      command("x", { aliases: ["com-x"] }),
      command("com"),
    );
    expect(registry.search("com").map((each) => each.name)).toEqual(["com", "comment", "commit", "x"]);
    expect(registry.search("COMM").map((each) => each.name)).toEqual(["comment", "commit"]);
    expect(registry.search("zz")).toEqual([]);
  });

  test("finds a hidden command only when all of its name is typed", () => {
    const registry = registryOf(command("secret", { isHidden: true }), command("section"));
    expect(registry.search("sec").map((each) => each.name)).toEqual(["section"]);
    expect(registry.search("secret").map((each) => each.name)).toEqual(["secret"]);
    expect(registry.all()).toHaveLength(2);
  });

  test("prefers a name to an alias, and forgets aliases with their command", () => {
    const registry = registryOf(command("a", { aliases: ["b"] }), command("b"));
    expect(registry.get("B")?.name).toBe("b");
    registry.unregister("b");
    expect(registry.get("b")?.name).toBe("a");
    expect(registry.unregister("a")).toBe(true);
    expect(registry.has("b")).toBe(false);
    expect(registry.unregister("a")).toBe(false);
  });

  test("refuses a name that is taken or can't be typed", () => {
    const registry = registryOf(command("a"));
    expect(() => registry.register(command("A"))).toThrow(`already a command "/A"`);
    for (const name of ["", " ", "a b", "/x"])
      expect(() => registry.register(command(name))).toThrow("can't be the name");
  });
});

test("a line is split as a shell would", () => {
  const cases: readonly [string, readonly string[]][] = [
    ["", []],
    ["  a  b\tc\n", ["a", "b", "c"]],
    [`"a b" 'c "d"' e`, ["a b", 'c "d"', "e"]],
    [String.raw`a\ b "c\"d" 'e\f'`, ["a b", 'c"d', String.raw`e\f`]],
    [`don't`, ["don't"]],
    [`"" x`, ["", "x"]],
    [`\\`, ["\\"]],
  ];
  for (const [text, words] of cases) expect(splitWords(text)).toEqual(words);
  expect(() => splitWords(`"open`)).toThrow("never closed");
});

test("only a line that starts with a slash and a name is a command", () => {
  expect(parseSlashLine("/help me")).toEqual({ name: "help", hasArguments: true, args: "me" });
  expect(parseSlashLine("/help")).toEqual({ name: "help", hasArguments: false, args: "" });
  expect(parseSlashLine("/help ")).toEqual({ name: "help", hasArguments: true, args: "" });
  expect(parseSlashLine("/")).toEqual({ name: "", hasArguments: false, args: "" });
  expect(parseSlashLine("/usr/bin is a path")).toBeUndefined();
  expect(parseSlashLine("not / one")).toBeUndefined();
});
