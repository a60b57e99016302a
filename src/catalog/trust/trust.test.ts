import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../lib/clock.ts";
import { AtomicError } from "../../lib/errors.ts";
import { createModuleReader } from "../modules/read-module.ts";
import { tempTree, type TempTree, type TreeFile } from "../../../tests/support/temp-tree.ts";
import { checkTrust, type CheckedModule } from "./check-trust.ts";
import { decideTrust, type ConsentNeeded } from "./decide-trust.ts";
import { createTrustStore, type TrustStore } from "./trust-store.ts";
import { subjectOfProject } from "./trust-subject.ts";

const project: Readonly<Record<string, TreeFile>> = {
  "p/.atomic/workflows/w.ts": `import { help } from "./lib/help.ts"; import pad from "left-pad"; import fs from "node:fs"; await import(process.argv[2]);`,
  "p/.atomic/workflows/lib/help.ts": "export const help = 1;",
};

const hostModules: ReadonlySet<string> = new Set(["atomic/workflows"]);

function storeOf(tree: TempTree): TrustStore {
  return createTrustStore(tree.path("home/.atomic"), systemClock);
}

function check(
  tree: TempTree,
  store: TrustStore,
  parts: { path?: string; isOwn?: boolean; forThisRun?: boolean } = {},
) {
  const { path = "p/.atomic/workflows/w.ts", isOwn = false, forThisRun = false } = parts;
  return checkTrust(
    { kind: "workflow", realPath: tree.path(path), isOwn },
    {
      reader: createModuleReader(),
      hostModules,
      atomicHome: tree.path("home/.atomic"),
      store,
      isTrustedForThisRun: forThisRun,
    },
  );
}

function questionOf(checked: CheckedModule): ConsentNeeded {
  if (checked.decision.isTrusted) throw new Error("expected a question");
  return checked.decision.question;
}

describe("a project's workflow", () => {
  test("is not trusted at first, and the question names all that no hash covers", () => {
    using tree = tempTree(project);
    const question = questionOf(check(tree, storeOf(tree)));
    expect(question).toMatchObject({
      kind: "workflow",
      path: tree.path("p/.atomic/workflows/w.ts"),
      reason: "new",
      packages: ["left-pad"],
      runtimeModules: ["node:fs"],
      computed: [{ line: 1, what: "import()" }],
    });
    expect(question.files.map((file) => file.change)).toEqual(["added", "added"]);
  });

  test("stays trusted, also for another process, until a byte of it changes", async () => {
    using tree = tempTree(project);
    const store = storeOf(tree);
    await store.record(check(tree, store).subject);
    expect(check(tree, storeOf(tree)).decision).toEqual({ isTrusted: true, because: "recorded" });

    tree.write({ "p/.atomic/workflows/lib/help.ts": "export const help = 2;" });
    const question = questionOf(check(tree, storeOf(tree)));
    expect(question.reason).toBe("changed");
    expect(question.files.map((file) => [file.path.replace(tree.root, ""), file.change])).toEqual([
      ["/p/.atomic/workflows/w.ts", "same"],
      ["/p/.atomic/workflows/lib/help.ts", "changed"],
    ]);
    expect(storeOf(tree).trustedText(question.files[1]?.trustedSha256 ?? "")).toBe("export const help = 1;");

    tree.write({ "p/.atomic/workflows/lib/help.ts": "export const help = 1;" });
    expect(check(tree, storeOf(tree)).decision.isTrusted).toBe(true);
  });

  test("asks again about files that came and went", async () => {
    using tree = tempTree(project);
    const store = storeOf(tree);
    await store.record(check(tree, store).subject);
    tree.write({ "p/.atomic/workflows/w.ts": `import "./other.ts";`, "p/.atomic/workflows/other.ts": "1;" });
    expect(questionOf(check(tree, store)).files.map((file) => file.change)).toEqual(["changed", "added", "removed"]);
  });

  test("is trusted for one run without a record", () => {
    using tree = tempTree(project);
    const store = storeOf(tree);
    expect(check(tree, store, { forThisRun: true }).decision).toEqual({ isTrusted: true, because: "this-run" });
    expect(existsSync(tree.path("home/.atomic/trust.json"))).toBe(false);
    expect(check(tree, store).decision.isTrusted).toBe(false);
  });

  test("is not trusted because of a trusted copy elsewhere, or a forged git folder", async () => {
    using tree = tempTree({ ...project, "trusted/.git/config": "[remote]\nurl = git@good", "trusted/w.ts": "1;" });
    const store = storeOf(tree);
    await store.record(check(tree, store, { path: "trusted/w.ts" }).subject);
    tree.write({ "evil/w.ts": "1;", "evil/.git": `gitdir: ${tree.path("trusted/.git")}` });
    expect(check(tree, store, { path: "evil/w.ts" }).decision.isTrusted).toBe(false);
  });

  test("is forgotten when asked", async () => {
    using tree = tempTree(project);
    const store = storeOf(tree);
    await store.record(check(tree, store).subject);
    expect(await store.forget("workflow", tree.path("p/.atomic/workflows/w.ts"))).toBe(true);
    expect(await store.forget("workflow", tree.path("p/.atomic/workflows/w.ts"))).toBe(false);
    expect(check(tree, store).decision.isTrusted).toBe(false);
  });
});

describe("a user's own workflow", () => {
  test("is trusted as it is", () => {
    using tree = tempTree({ "home/.atomic/workflows/w.ts": `import "./lib.ts";`, "home/.atomic/workflows/lib.ts": "" });
    const checked = check(tree, storeOf(tree), { path: "home/.atomic/workflows/w.ts", isOwn: true });
    expect(checked.decision).toEqual({ isTrusted: true, because: "own" });
  });

  test("needs the question when it reaches into a project", () => {
    using tree = tempTree({ "home/.atomic/workflows/w.ts": `import "../../../p/x.ts";`, "p/x.ts": "" });
    const checked = check(tree, storeOf(tree), { path: "home/.atomic/workflows/w.ts", isOwn: true });
    expect(checked.decision.isTrusted).toBe(false);
  });
});

describe("a project's settings", () => {
  const settingsOf = (tree: TempTree, project = "p") =>
    subjectOfProject({ projectDir: tree.path(project), homeDir: tree.path("home") });
  const files = {
    "p/.claude/settings.json": `{ "hooks": {} }`,
    "p/.mcp.json": "{}",
    "p/.opencode/plugin/x/index.ts": "1",
    "p/CLAUDE.md": "Be nice.",
  };

  test("have a hash that covers what can start programs, and not the instructions", () => {
    using tree = tempTree(files);
    const before = settingsOf(tree);
    expect(before.files.map((file) => file.path.replace(tree.root, ""))).toEqual([
      "/p/.mcp.json",
      "/p/.claude/settings.json",
      "/p/.opencode/plugin/x/index.ts",
    ]);
    tree.write({ "p/CLAUDE.md": "Be nicer." });
    expect(settingsOf(tree).hash).toBe(before.hash);
    tree.write({ "p/.claude/settings.local.json": "{}" });
    expect(settingsOf(tree).hash).not.toBe(before.hash);
  });

  test("are recorded apart from its workflows", async () => {
    using tree = tempTree(files);
    const store = storeOf(tree);
    const subject = settingsOf(tree);
    await store.record(subject);
    expect(decideTrust(subject, store.find("project", subject.path)).isTrusted).toBe(true);
    expect(store.find("workflow", subject.path)).toBeUndefined();
  });

  test("are also those above the folder, which agents load as well, up to the user's home", () => {
    using tree = tempTree({
      ...files,
      "home/.claude/settings.json": "{}",
      "home/p/.mcp.json": "{}",
      "home/p/sub/x": "",
    });
    const inside = settingsOf(tree, "p/.opencode");
    expect(inside.files.map((file) => file.path)).toEqual(settingsOf(tree).files.map((file) => file.path));
    expect(settingsOf(tree, "home/p/sub").files.map((file) => file.path)).toEqual([tree.path("home/p/.mcp.json")]);
    expect(settingsOf(tree, "home")).toMatchObject({ files: [], isOwn: true });
  });

  test("include hidden files, and packages that OpenCode installs", () => {
    using tree = tempTree({ "p/.opencode/plugin/.x.ts": "1", "p/.opencode/package.json": "{}" });
    expect(settingsOf(tree).files.map((file) => file.path.replace(tree.root, ""))).toEqual([
      "/p/.opencode/package.json",
      "/p/.opencode/plugin/.x.ts",
    ]);
  });

  test("are read once where folders link to each other", () => {
    using tree = tempTree({ ...files, "p/.claude/hooks/loop": { link: "../hooks" }, "p/.claude/hooks/h.sh": "x" });
    expect(settingsOf(tree).files.some((file) => file.path.endsWith("h.sh"))).toBe(true);
  });

  test("can't be checked when one of them leads out of the project", () => {
    using tree = tempTree({ "p/.mcp.json": { link: "/etc/passwd" } });
    expect(() => settingsOf(tree)).toThrow("out of the project");
  });
});

describe("the trust store", () => {
  async function recorded(tree: TempTree): Promise<string> {
    const store = storeOf(tree);
    await store.record(check(tree, store).subject);
    return tree.path("home/.atomic/trust.json");
  }

  test("is readable by its owner only", async () => {
    using tree = tempTree(project);
    expect(statSync(await recorded(tree)).mode & 0o077).toBe(0);
  });

  const damages: [what: string, damage: (file: string) => void, says: string][] = [
    ["that was cut short", (file) => writeFileSync(file, readFileSync(file).subarray(0, 80)), "can't be used"],
    ["that is empty", (file) => writeFileSync(file, ""), "can't be used"],
    ["of a newer version", (file) => writeFileSync(file, `{"version":2,"entries":{}}`), "version 2"],
    [
      "with a forged entry",
      (file) => writeFileSync(file, `{"version":1,"entries":{"workflow:/x":{"kind":"tool"}}}`),
      "damaged",
    ],
    ["that others may write to", (file) => chmodSync(file, 0o666), "chmod go-w"],
  ];

  for (const [what, damage, says] of damages) {
    test(`${what} trusts nothing, says why, and is not replaced`, async () => {
      using tree = tempTree(project);
      const file = await recorded(tree);
      damage(file);
      const content = readFileSync(file);
      const store = storeOf(tree);
      expect(store.problem).toContain(says);
      const checked = check(tree, store);
      expect(checked.decision.isTrusted).toBe(false);
      const failure = await store.record(checked.subject).catch((thrown: unknown) => thrown);
      expect(AtomicError.is(failure, "TRUST_STORE_INVALID")).toBe(true);
      expect(readFileSync(file)).toEqual(content);
    });
  }

  test("loses nothing when several write at the same time", async () => {
    using tree = tempTree(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`p/w${i}.ts`, `${i};`])));
    await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        const store = storeOf(tree);
        await store.record(check(tree, store, { path: `p/w${i}.ts` }).subject);
      }),
    );
    expect(storeOf(tree).all()).toHaveLength(12);
    expect(existsSync(join(tree.root, "home/.atomic/.trust.lock"))).toBe(false);
  });

  test("gives no text for a hash that is not kept, forged or a path", async () => {
    using tree = tempTree(project);
    await recorded(tree);
    const store = storeOf(tree);
    const kept = check(tree, store).subject.files[0]?.sha256 ?? "";
    writeFileSync(tree.path("home/.atomic/trust", kept), "forged");
    expect(store.trustedText(kept)).toBeUndefined();
    expect(store.trustedText("../trust.json")).toBeUndefined();
    expect(store.trustedText("0".repeat(64))).toBeUndefined();
  });
});
