// One project that tries everything: each bad thing gets exactly one diagnostic, and everything beside it still loads.

import { describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadCatalog, type Catalog } from "./catalog.ts";
import { badThings, goodThings, hugeFile } from "../../tests/support/bad-project.ts";
import { tempTree, type TempTree, type TreeFile } from "../../tests/support/temp-tree.ts";

function load(tree: TempTree): Catalog {
  const roots = { projectDir: tree.path("p"), homeDir: tree.path("home"), atomicHome: tree.path("home/.atomic") };
  return loadCatalog({ roots });
}

function inProject(files: Readonly<Record<string, TreeFile>>): Record<string, TreeFile> {
  return Object.fromEntries(Object.entries(files).map(([path, file]) => [`p/${path}`, file]));
}

describe("a project that tries everything", () => {
  using tree = tempTree(inProject(Object.assign({}, goodThings, ...badThings.map((bad) => bad.files))));
  truncateSync(tree.path("p", hugeFile), 50 * 1024 * 1024);
  const catalog = load(tree);

  for (const { what, at, code, says } of badThings) {
    test(`gets one diagnostic for ${what}`, () => {
      const about = catalog.diagnostics.filter((each) => each.file === tree.path("p", at));
      expect(about.map((each) => each.code)).toEqual([code as never]);
      const message = about[0]?.message ?? "";
      expect(message).toContain(says);
      expect(message).not.toMatch(/\p{Cc}/u);
      expect(message.length).toBeLessThanOrEqual(600);
    });
  }

  test("gets no other diagnostics", () => {
    const expected = new Set(badThings.map((bad) => tree.path("p", bad.at)));
    expect(catalog.diagnostics.filter((each) => !expected.has(each.file ?? ""))).toEqual([]);
  });

  test("still loads everything else", () => {
    const own = (list: Catalog["agents"]): string[] =>
      list.filter((each) => each.source.location === "project").map((each) => each.name);
    expect(own(catalog.agents)).toEqual(["bom", "inline", "linked", "twin"]);
    expect(own(catalog.skills)).toEqual(["good-skill", "greedy"]);
    expect(own(catalog.commands)).toEqual(["good-command", "inline-command"]);
    expect(catalog.workflows.map((entry) => entry.info.name)).toEqual(["good", "help"]);
    expect(catalog.tools.map((entry) => entry.info.name)).toEqual(["good"]);
  });

  test("has the prompt of a file with a byte order mark and CRLF as plain lines", () => {
    const agent = catalog.agents.find((each) => each.name === "bom");
    expect(agent).toMatchObject({ description: "BOM and CRLF", prompt: "Line one\nLine two" });
  });

  test("changed no prototype and ran nothing", () => {
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    expect(process.exitCode).toBeUndefined();
  });
});

// Root may read everything, so a child process without those rights looks. It must be able to reach this checkout.
const asNobody = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
const reach = `require("node:fs").accessSync(${JSON.stringify(join(import.meta.dir, "catalog.ts"))})`;
const canLook =
  Bun.spawnSync(["sh", "-c", '"$@"', "sh", ...asNobody, process.execPath, "-e", reach], { cwd: "/" }).exitCode === 0;

test.skipIf(!canLook)("an unreadable folder and an unreadable file get one diagnostic each", async () => {
  using tree = tempTree(
    inProject({ ".claude/agents/a.md": "A", ".github/agents/secret.md": "S", ".github/agents/b.md": "B" }),
  );
  chmodSync(tree.root, 0o755);
  chmodSync(tree.path("p/.claude/agents"), 0o000);
  chmodSync(tree.path("p/.github/agents/secret.md"), 0o000);
  const home = mkdtempSync(join(tmpdir(), "atomic-nobody-"));
  const script = `
    import { loadCatalog } from ${JSON.stringify(join(import.meta.dir, "catalog.ts"))};
    const catalog = loadCatalog({ roots: { projectDir: process.argv[1], homeDir: "/nowhere", atomicHome: "/nowhere/.atomic" } });
    const names = catalog.agents.filter((each) => each.source.location === "project").map((each) => each.name);
    console.log(JSON.stringify({ names, diagnostics: catalog.diagnostics }));`;
  try {
    chmodSync(home, 0o777);
    const child = Bun.spawn([...asNobody, process.execPath, "-e", script, tree.path("p")], {
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "", HOME: home, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(errors).toBe("");
    const { names, diagnostics } = JSON.parse(output);
    expect(names).toEqual(["b"]);
    expect(diagnostics).toMatchObject([
      {
        code: "unreadable",
        file: tree.path("p/.claude/agents"),
        message: expect.stringContaining("Permission denied"),
      },
      { code: "unreadable", file: tree.path("p/.github/agents/secret.md") },
    ]);
  } finally {
    chmodSync(tree.path("p/.claude/agents"), 0o755);
    rmSync(home, { recursive: true, force: true });
  }
});
