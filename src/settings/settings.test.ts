import { describe, expect, test } from "bun:test";
import { lstatSync, readFileSync } from "node:fs";
import { AtomicError } from "../lib/errors.ts";
import { tempTree, type TempTree, type TreeFile } from "../../tests/support/temp-tree.ts";
import { requireValid, resolveSettings, type Settings } from "./resolve-settings.ts";
import { removeSetting, writeSetting } from "./write-setting.ts";

interface Given {
  readonly user?: TreeFile;
  readonly project?: TreeFile;
  readonly environment?: Record<string, string>;
  readonly flags?: Record<string, string | number>;
}

function treeOf({ user, project }: Given): TempTree {
  return tempTree({
    "home/.atomic": { folder: true },
    p: { folder: true },
    ...(user === undefined ? {} : { "home/.atomic/settings.json": user }),
    ...(project === undefined ? {} : { "p/.atomic/settings.json": project }),
  });
}

function settingsIn(tree: TempTree, given: Given = {}): Settings {
  const folders = { projectDir: tree.path("p"), atomicHome: tree.path("home/.atomic") };
  return resolveSettings({ folders, environment: given.environment ?? {}, flags: given.flags ?? {} });
}

function resolve(given: Given): Settings {
  using tree = treeOf(given);
  return settingsIn(tree, given);
}

function originOf(settings: Settings, key: string): string {
  const found = settings.values.get(key);
  return found === undefined ? "none" : `${found.value} from ${found.origin}`;
}

test("a value comes from the last layer that has one", () => {
  const layers: readonly [Given, string][] = [
    [{}, "claude from default"],
    [{ user: `{ "agent": "opencode" }` }, "opencode from user"],
    [{ user: `{ "agent": "opencode" }`, project: `{ "agent": "copilot" }` }, "copilot from project"],
    [{ project: `{ "agent": "copilot" }`, environment: { ATOMIC_AGENT: "claude" } }, "claude from environment"],
    [{ environment: { ATOMIC_AGENT: "claude" }, flags: { agent: "acp:x" } }, "acp:x from flag"],
    [{ user: `{ "agent": "opencode" }`, environment: { ATOMIC_AGENT: "" } }, "opencode from user"],
  ];
  for (const [given, expected] of layers) expect(originOf(resolve(given), "agent")).toBe(expected);
});

test("a value knows the file, the variable or the flag it comes from", () => {
  using tree = treeOf({ user: `{ "model": "m" }`, project: `{ "theme": "light" }` });
  const { values } = settingsIn(tree, { environment: { ATOMIC_MAX_COST: "2.5" }, flags: { "limits.maxTokens": 9 } });
  expect(values.get("model")?.at).toBe(tree.path("home/.atomic/settings.json"));
  expect(values.get("theme")?.at).toBe(tree.path("p/.atomic/settings.json"));
  expect(values.get("limits.maxCost")).toMatchObject({ value: 2.5, at: "ATOMIC_MAX_COST" });
  expect(values.get("limits.maxTokens")).toMatchObject({ value: 9, at: "--max-tokens" });
  expect(values.get("limits.maxIterations")?.at).toBeUndefined();
});

test("comments, trailing commas, a byte order mark and $schema are fine", () => {
  const text = `\uFEFF// mine\n{ "$schema": "./x.json", /* what */ "agent": "opencode", "limits": { "maxCost": 1, }, }`;
  const settings = resolve({ user: text });
  expect(settings.problems).toEqual([]);
  expect(settings.text("agent")).toBe("opencode");
  expect(settings.number("limits.maxCost")).toBe(1);
});

test("a built-in is replaced only by name", () => {
  const settings = resolve({
    user: `{ "builtins": { "worker": "mine" } }`,
    project: `{ "builtins": { "reviewer": "r" } }`,
  });
  expect(settings.replacements(true)).toEqual({ worker: "mine", reviewer: "r" });
  expect(settings.replacements(false)).toEqual({ worker: "mine" });
});

const protectedSettings: readonly { project: string; user?: string; key: string; stays: string }[] = [
  { project: `{ "agent": "acp:./evil" }`, key: "agent", stays: "claude from default" },
  { project: `{ "agent": "scripted" }`, key: "agent", stays: "claude from default" },
  { project: `{ "sessions": { "dir": "/tmp/x" } }`, key: "sessions.dir", stays: "none" },
  { project: `{ "agents": { "claude": { "path": "/tmp/evil" } } }`, key: "agents.claude.path", stays: "none" },
  { project: `{ "agents": { "opencode": { "path": "/tmp/evil" } } }`, key: "agents.opencode.path", stays: "none" },
  { project: `{ "agents": { "copilot": { "path": "/tmp/evil" } } }`, key: "agents.copilot.path", stays: "none" },
  {
    user: `{ "limits": { "maxCost": 5 } }`,
    project: `{ "limits": { "maxCost": 500 } }`,
    key: "limits.maxCost",
    stays: "5 from user",
  },
  {
    user: `{ "limits": { "maxIterations": 5 } }`,
    project: `{ "limits": { "maxIterations": 0 } }`,
    key: "limits.maxIterations",
    stays: "5 from user",
  },
  { project: `{ "limits": { "maxIterations": 0 } }`, key: "limits.maxIterations", stays: "100 from default" },
  { project: `{ "limits": { "maxWait": 9999 } }`, key: "limits.maxWait", stays: "1440 from default" },
];

describe("a project's file can't", () => {
  for (const { project, user, key, stays } of protectedSettings) {
    test(`set ${project}${user === undefined ? "" : ` against ${user}`}`, () => {
      const settings = resolve({ project, ...(user === undefined ? {} : { user }) });
      expect(originOf(settings, key)).toBe(stays);
      expect(settings.problems).toMatchObject([{ severity: "warning", key }]);
      expect(() => requireValid(settings)).not.toThrow();
    });
  }

  test("change anything by an unknown name", () => {
    const settings = resolve({ project: `{ "atomicHome": "/x", "trust": true, "ATOMIC_HOME": "/x", "env": {} }` });
    expect(settings.problems.map((each) => each.key)).toEqual(["atomicHome", "trust", "ATOMIC_HOME", "env"]);
  });
});

test("a project's file may lower a limit of the user's, and set a missing one", () => {
  const lower = resolve({
    user: `{ "limits": { "maxCost": 5 } }`,
    project: `{ "limits": { "maxCost": 1, "maxIterations": 30, "maxTokens": 300 } }`,
  });
  expect(originOf(lower, "limits.maxCost")).toBe("1 from project");
  expect(originOf(lower, "limits.maxIterations")).toBe("30 from project");
  expect(originOf(lower, "limits.maxTokens")).toBe("300 from project");
});

test("in the home folder the project's file is the user's own, with the user's rights", () => {
  using tree = tempTree({ "home/.atomic/settings.json": `{ "sessions": { "dir": "x" } }` });
  const folders = { projectDir: tree.path("home"), atomicHome: tree.path("home/.atomic") };
  const settings = resolveSettings({ folders, environment: {} });
  expect(settings.projectFile).toBeUndefined();
  expect(originOf(settings, "sessions.dir")).toBe("x from user");
});

const broken: readonly { what: string; file: TreeFile; says: string }[] = [
  { what: "not JSON", file: "{ agent: ", says: "not JSON with comments" },
  { what: "a list", file: "[1]", says: "must hold an object" },
  { what: "an unknown key", file: `{ "agnt": "x" }`, says: `There is no setting "agnt" (did you mean "agent"?)` },
  { what: "an unknown nested key", file: `{ "limits": { "maxCosts": 1 } }`, says: `did you mean "limits.maxCost"?` },
  { what: "a wrong type", file: `{ "limits": { "maxCost": "5" } }`, says: `"limits.maxCost" must be a number` },
  { what: "a negative number", file: `{ "limits": { "maxTokens": -1 } }`, says: "must not be negative" },
  { what: "a fraction", file: `{ "limits": { "maxTokens": 1.5 } }`, says: "must be a whole number" },
  { what: "a group that is not an object", file: `{ "limits": 5 }`, says: `"limits" must be an object` },
  { what: "an unknown choice", file: `{ "theme": "pink" }`, says: "must be one of dark, light" },
  { what: "a relative program", file: `{ "agents": { "claude": { "path": "claude" } } }`, says: "absolute path" },
  { what: "an empty text", file: `{ "model": " " }`, says: "must not be empty" },
  { what: "control characters", file: `{ "model": "a\\u001bb" }`, says: "one line of text" },
  { what: "a key to a prototype", file: `{ "__proto__": { "agent": "x" } }`, says: "is not a setting" },
  { what: "invalid UTF-8", file: new Uint8Array([0x7b, 0xff, 0x7d]), says: "can't be read" },
  { what: "a folder", file: { folder: true }, says: "not a file" },
  { what: "too large", file: `{ "model": "${"x".repeat(300 * 1024)}" }`, says: "larger than" },
  { what: "a link to itself", file: { link: "settings.json" }, says: "can't be read: ELOOP" },
  { what: "deep nesting", file: `${`{"limits":`.repeat(20_000)}1${"}".repeat(20_000)}`, says: "" },
];

describe("a broken file is one problem and no crash:", () => {
  for (const { what, file, says } of broken) {
    test(what, () => {
      const mine = resolve({ user: file });
      expect(mine.problems).toHaveLength(1);
      expect(mine.problems[0]).toMatchObject({ severity: "error", message: expect.stringContaining(says) });
      expect(originOf(mine, "agent")).toBe("claude from default");
      expect(() => requireValid(mine)).toThrow("settings can't be used");
      const theirs = resolve({ project: file });
      expect(theirs.problems.map((each) => each.severity)).toEqual(["warning"]);
    });
  }

  test("a project's link out of the project", () => {
    using tree = tempTree({ secret: `{ "theme": "light" }`, "p/.atomic/settings.json": { link: "../../secret" } });
    const settings = settingsIn(tree);
    expect(settings.text("theme")).toBe("dark");
    expect(settings.problems).toMatchObject([{ severity: "warning" }]);
  });
});

test("a wrong variable is an error that names it", () => {
  const settings = resolve({ environment: { ATOMIC_MAX_COST: "five", ATOMIC_THEME: "pink" } });
  expect(settings.problems.map(({ at, severity }) => [at, severity])).toEqual([
    ["ATOMIC_THEME", "error"],
    ["ATOMIC_MAX_COST", "error"],
  ]);
});

test("a setting is written into a file with everything else left alone", () => {
  using tree = treeOf({ user: `{\n  // which one\n  "agent": "opencode", // mine\n  "limits": { "maxCost": 1 }\n}\n` });
  const file = tree.path("home/.atomic/settings.json");
  expect(writeSetting({ file }, "limits.maxCost", "2.5")).toBe(2.5);
  writeSetting({ file }, "agent", "copilot");
  expect(readFileSync(file, "utf8")).toBe(
    `{\n  // which one\n  "agent": "copilot", // mine\n  "limits": { "maxCost": 2.5 }\n}\n`,
  );
  expect(removeSetting({ file }, "limits.maxCost")).toBe(true);
  expect(removeSetting({ file }, "limits.maxCost")).toBe(false);
  expect(settingsIn(tree).problems).toEqual([]);
});

test("a setting is written where there is no file and no folder yet", () => {
  using tree = tempTree({});
  writeSetting({ file: tree.path("new/.atomic/settings.json") }, "sessions.dir", "/var/runs");
  expect(JSON.parse(readFileSync(tree.path("new/.atomic/settings.json"), "utf8"))).toEqual({
    sessions: { dir: "/var/runs" },
  });
});

test("a link to a settings file stays a link, and a project's may not lead out of it", () => {
  using tree = tempTree({
    "dotfiles/atomic.json": `{ "agent": "claude" }`,
    "home/settings.json": { link: "../dotfiles/atomic.json" },
    "p/.atomic": { link: "../home" },
  });
  writeSetting({ file: tree.path("home/settings.json") }, "model", "opus");
  expect(lstatSync(tree.path("home/settings.json")).isSymbolicLink()).toBe(true);
  const text = readFileSync(tree.path("dotfiles/atomic.json"), "utf8");
  expect(JSON.parse(text)).toEqual({ agent: "claude", model: "opus" });
  const project = { file: tree.path("p/.atomic/settings.json"), projectDir: tree.path("p") };
  expect(() => writeSetting(project, "model", "x")).toThrow("leads out of the project");
  expect(() => removeSetting(project, "model")).toThrow("leads out of the project");
  expect(readFileSync(tree.path("dotfiles/atomic.json"), "utf8")).toBe(text);
});

test("what can't be a setting is not written", () => {
  using tree = treeOf({ user: "{ broken", project: "{}" });
  const mine = tree.path("home/.atomic/settings.json");
  const theirs = tree.path("p/.atomic/settings.json");
  const project = { file: theirs, projectDir: tree.path("p") };
  tree.write({ "group.json": `{ "limits": 5 }` });
  const group = tree.path("group.json");
  const refused: readonly [() => unknown, string][] = [
    [() => writeSetting({ file: theirs }, "agent", "cluade"), "must be claude, opencode, copilot or acp:COMMAND"],
    [() => writeSetting({ file: theirs }, "agent", "acp: "), "must be claude"],
    [() => writeSetting({ file: theirs }, "agnt", "x"), `did you mean "agent"?`],
    [() => writeSetting({ file: theirs }, "limits.maxCost", "x"), "must be a number"],
    [() => writeSetting(project, "sessions.dir", "x"), "a project may not set this"],
    [() => writeSetting(project, "agent", "acp:x"), "a project may choose"],
    [() => writeSetting({ file: mine }, "agent", "claude"), "is left as it is"],
    [() => writeSetting({ file: group }, "limits.maxCost", "1"), `"limits" must be an object`],
  ];
  for (const [write, says] of refused) {
    expect(write).toThrow(says);
    try {
      write();
    } catch (thrown) {
      expect(AtomicError.is(thrown, "SETTINGS_INVALID")).toBe(true);
    }
  }
  expect(readFileSync(mine, "utf8")).toBe("{ broken");
});
