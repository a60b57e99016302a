// Proves that the linter's rules fire: copies the lint set-up into an empty folder, writes one file per fault and one
// clean file per exemption, and compares what the linter reports with what it must report, both ways.
// A rule that is misspelt in .oxlintrc.json, or switched off by an upgrade, fails here.

import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

interface Seed {
  readonly file: string;
  readonly text: string;
  /** The rule that must be reported for this file, and no other; `undefined` for a clean file. */
  readonly rule: string | undefined;
}

const projectRoot = join(import.meta.dir, "..");
const value = "export const value = 1;\n";

/** A pair of files where the first imports the second; `form` spells the import. */
function direction(from: string, specifier: string, rule: string | undefined, form = "import"): Seed {
  const forms: Record<string, string> = {
    import: `import { value } from "${specifier}";\nexport const copy = value;\n`,
    type: `import type { Value } from "${specifier}";\nexport type Copy = Value;\n`,
    export: `export { value } from "${specifier}";\n`,
    all: `export * from "${specifier}";\n`,
    dynamic: `export const loaded = await import("${specifier}");\n`,
    inline: `export type Copy = import("${specifier}").Value;\n`,
  };
  return { file: from, text: forms[form] ?? "", rule };
}

/** A minimal union, and a fold of it. */
const unionText = 'export type RunEvent = { type: "a"; update?: object } | { type: "b" };\n';

function fold(counted: string): string {
  return `import type { RunEvent } from "../events/run-event.ts";\nexport function count(event: RunEvent): number {\n  switch (event.type) {\n    case "a":\n      return ${counted};\n    case "b":\n      return 0;\n  }\n}\n`;
}

const wrongWay = "house(import-direction)";
const targets = [
  "lib/low",
  "journal/port",
  "journal/sqlite/store",
  "workflows/graph/engine",
  "workflows/graph/model/shape",
  "workflows/graph/record/tape",
  "workflows/executor",
  "nodes/node",
  "agents/agent",
  "agents/claude/client",
  "tasks/task",
  "catalog/entry",
  "commands/command",
  "app/start",
  "cli/args",
  "tui/view",
  "web/page",
  "testing/fake",
  "public/api",
];

const seeds: readonly Seed[] = [
  ...targets.map((path) => ({
    file: `src/${path}.ts`,
    text: `${value}export type Value = number;\n`,
    rule: undefined,
  })),

  // Upwards and sideways, one per boundary.
  direction("src/lib/up.ts", "../journal/port.ts", wrongWay),
  direction("src/journal/up.ts", "../workflows/graph/engine.ts", wrongWay),
  direction("src/workflows/graph/up-sibling.ts", "../executor.ts", wrongWay),
  direction("src/workflows/graph/deep/up-deep.ts", "../../executor.ts", wrongWay),
  direction("src/workflows/graph/up-store.ts", "../../journal/sqlite/store.ts", wrongWay),
  direction("src/workflows/graph/up-agents.ts", "../../agents/agent.ts", wrongWay),
  direction("src/workflows/graph/schedule/up-record.ts", "../record/tape.ts", wrongWay),
  direction("src/workflows/graph/model/up-record.ts", "../record/tape.ts", wrongWay, "type"),
  direction("src/workflows/graph/nodes/up-record.ts", "../record/tape.ts", wrongWay),
  direction("src/workflows/graph/builtin.ts", "node:fs", wrongWay, "all"),
  direction("src/workflows/graph/package.ts", "zod", wrongWay, "all"),
  direction("src/agents/up.ts", "../nodes/node.ts", wrongWay),
  direction("src/agents/backend.ts", "./claude/client.ts", wrongWay),
  direction("src/tasks/up.ts", "../workflows/executor.ts", wrongWay),
  direction("src/nodes/up.ts", "../workflows/executor.ts", wrongWay),
  direction("src/nodes/backend.ts", "../agents/claude/client.ts", wrongWay),
  direction("src/workflows/up.ts", "../catalog/entry.ts", wrongWay),
  direction("src/catalog/up.ts", "../commands/command.ts", wrongWay),
  direction("src/commands/up.ts", "../app/start.ts", wrongWay),
  direction("src/app/up.ts", "../cli/args.ts", wrongWay),
  direction("src/app/store.ts", "../journal/sqlite/store.ts", wrongWay),
  direction("src/app/backend.ts", "../agents/claude/client.ts", wrongWay),
  direction("src/cli/sideways.ts", "../tui/view.ts", wrongWay),
  direction("src/tui/below-app.ts", "../workflows/executor.ts", wrongWay),
  direction("src/web/sideways.ts", "../cli/args.ts", wrongWay),
  direction("src/app/testing.ts", "../testing/fake.ts", wrongWay),
  direction("src/testing/app.ts", "../app/start.ts", wrongWay),
  direction("src/app/public.ts", "../public/api.ts", wrongWay),
  direction("src/app/alias.ts", "atomic/workflows", wrongWay, "all"),
  direction("src/elsewhere/file.ts", "../lib/low.ts", wrongWay),
  direction("examples/inside.ts", "../src/lib/low.ts", wrongWay),
  // Every way to spell an import.
  direction("src/lib/form-type.ts", "../app/start.ts", wrongWay, "type"),
  direction("src/lib/form-export.ts", "../app/start.ts", wrongWay, "export"),
  direction("src/lib/form-all.ts", "../app/start.ts", wrongWay, "all"),
  direction("src/lib/form-dynamic.ts", "../app/start.ts", wrongWay, "dynamic"),
  direction("src/lib/form-inline.ts", "../app/start.ts", wrongWay, "inline"),
  // Downwards, and the files that are free.
  direction("src/journal/down.ts", "../lib/low.ts", undefined),
  direction("src/workflows/graph/run/down-record.ts", "../record/tape.ts", undefined),
  direction("src/workflows/graph/record/down-model.ts", "../model/shape.ts", undefined),
  direction("src/workflows/graph/down-port.ts", "../../journal/port.ts", undefined),
  direction("src/nodes/down.ts", "../workflows/graph/engine.ts", undefined),
  direction("src/app/down.ts", "../workflows/executor.ts", undefined),
  direction("src/cli/down.ts", "../app/start.ts", undefined),
  direction("src/main.ts", "./journal/sqlite/store.ts", undefined),
  direction("src/lib/free.test.ts", "../app/start.ts", undefined),
  direction("src/public/down.ts", "../journal/sqlite/store.ts", undefined),

  {
    file: "src/lib/cycle-a.ts",
    text: 'import type { B } from "./cycle-b.ts";\nexport type A = B | 1;\n',
    rule: "import(no-cycle)",
  },
  {
    file: "src/lib/cycle-b.ts",
    text: 'import type { A } from "./cycle-a.ts";\nexport type B = A[];\n',
    rule: "import(no-cycle)",
  },
  { file: "src/lib/long.ts", text: value + "\n".repeat(400), rule: "eslint(max-lines)" },
  { file: "src/lib/not-long.ts", text: value + "\n".repeat(398), rule: undefined },
  { file: "src/lib/long.test.ts", text: value + "\n".repeat(600), rule: "eslint(max-lines)" },
  { file: "src/lib/not-long.test.ts", text: value + "\n".repeat(598), rule: undefined },
  {
    file: "src/lib/floating.ts",
    text: "async function later(): Promise<void> {}\nexport function start(): void {\n  later();\n}\n",
    rule: "typescript(no-floating-promises)",
  },
  {
    file: "src/lib/misused.ts",
    text: `declare function each(body: () => void): void;\neach(async () => {});\n${value}`,
    rule: "typescript(no-misused-promises)",
  },
  {
    file: "src/lib/switch.ts",
    text: 'export function pick(kind: "a" | "b"): number {\n  switch (kind) {\n    case "a":\n      return 1;\n  }\n  return 2;\n}\n',
    rule: "typescript(switch-exhaustiveness-check)",
  },
  { file: "src/lib/any.ts", text: "export const anything: any = 1;\n", rule: "typescript(no-explicit-any)" },
  {
    file: "src/lib/twice.ts",
    text: "export const text = 1 as unknown as string;\n",
    rule: "house(no-double-assertion)",
  },
  {
    file: "src/app/fold.ts",
    text: fold("(event.update as { tasks: number }).tasks"),
    rule: "house(no-casts-in-folds)",
  },
  { file: "src/app/clean-fold.ts", text: fold('["a" as const].length'), rule: undefined },
  { file: "src/events/run-event.ts", text: `${value}${unionText}`, rule: undefined },
  { file: "src/lib/ignore.ts", text: `// @ts-ignore wrong on purpose\n${value}`, rule: "typescript(ban-ts-comment)" },
  { file: "src/lib/console.ts", text: `console.log("noise");\n${value}`, rule: "eslint(no-console)" },
  { file: "src/app/console.ts", text: `console.log("noise");\n${value}`, rule: "eslint(no-console)" },
  { file: "src/cli/print.ts", text: `console.log("output");\n${value}`, rule: undefined },
  { file: "src/lib/unused.ts", text: `const unused = 1;\n${value}`, rule: "eslint(no-unused-vars)" },
  {
    file: "src/lib/throw-text.ts",
    text: 'export function fail(): never {\n  throw "text";\n}\n',
    rule: "typescript(only-throw-error)",
  },
  { file: "src/lib/camelCase.ts", text: value, rule: "unicorn(filename-case)" },
];

const folder = mkdtempSync(join(tmpdir(), "atomic-lint-"));
try {
  for (const name of [".oxlintrc.json", "tsconfig.json", "package.json", "scripts/lint"]) {
    cpSync(join(projectRoot, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"));
  for (const { file, text } of seeds) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  report(await lint(folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What the linter reports: for each file, the rules. */
async function lint(cwd: string): Promise<Map<string, Set<string>>> {
  const oxlint = Bun.spawn([join(projectRoot, "node_modules/.bin/oxlint"), "--format=json", "src", "examples"], {
    cwd,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = await new Response(oxlint.stdout).text();
  const { diagnostics } = JSON.parse(output) as { diagnostics: { filename: string; code: string }[] };
  const found = new Map<string, Set<string>>();
  for (const { filename, code } of diagnostics) {
    const rules = found.get(filename) ?? new Set<string>();
    found.set(filename, rules.add(code));
  }
  return found;
}

function report(found: ReadonlyMap<string, ReadonlySet<string>>): void {
  const wrong: string[] = [];
  for (const { file, rule } of seeds) {
    const reported = [...(found.get(file) ?? [])].sort().join(", ");
    if (reported !== (rule ?? ""))
      wrong.push(`${file}: expected ${rule ?? "nothing"}, the linter reports ${reported || "nothing"}`);
  }
  const faults = seeds.filter((seed) => seed.rule !== undefined);
  if (wrong.length > 0) {
    console.error(wrong.join("\n"));
    process.exitCode = 1;
  } else {
    const rules = new Set(faults.map((seed) => seed.rule)).size;
    console.log(
      `${faults.length} seeded faults reported by ${rules} rules, ${seeds.length - faults.length} clean files passed`,
    );
  }
}
