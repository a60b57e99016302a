// The listing side of the program through its real command line: what each command prints, for people and for programs.

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createCliWorld } from "./cli-world.ts";

const world = createCliWorld();
const { project } = world;

world.write(
  "project/.atomic/workflows/build.ts",
  `import { graph, toolNode } from "atomic/workflows";
import { step } from "./lib/step.ts";
export const name = "build";
export const description = "Builds the thing";
export const aliases = ["make"];
export const version = "1.2.0";
export const options = { depth: { type: "number", default: 2, description: "how deep" } };
export default () => graph().start(toolNode({ id: "one", execute: step })).then(toolNode({ id: "two", execute: step })).compile();
`,
);
world.write("project/.atomic/workflows/lib/step.ts", "export const step = () => 1;\n");
world.write(
  "project/.atomic/workflows/broken.ts",
  `export const name = "broken";\nexport const graphConfig = { startNode: "x", nodes: [], edges: [] };\n`,
);
world.write(
  "project/.atomic/workflows/loose.ts",
  `import "left-pad";\nexport const load = (name) => import(name);\nexport const name = "loose";\n`,
);
world.write("project/.atomic/workflows/syntax.ts", "export const name = `never closed;\n");
world.workflow("mine", `export const description = "My own";`);
world.write(
  "project/.claude/agents/tester.md",
  "---\ndescription: Tests things\nmodel: opus\ntools: Read, Bash\n---\nYou test.\n",
);
world.write("project/.claude/agents/worker.md", "---\ndescription: Another worker\n---\nYou work.\n");
world.write("project/.claude/agents/bad.md", "---js\nmodule.exports = {}\n---\nB\n");
world.write("home/.claude/agents/tester.md", "---\ndescription: Hidden by the project\n---\nNo.\n");
world.write(
  "project/.claude/skills/deploy/SKILL.md",
  "---\ndescription: Deploys\nargument-hint: <where>\n---\nDeploy to $ARGUMENTS.\n",
);
world.write("project/.claude/skills/empty/notes.md", "Nothing.\n");
world.write("project/.claude/commands/fix.md", "---\ndescription: Fixes\n---\nFix $ARGUMENTS.\n");

interface Case {
  readonly words: string;
  readonly exitCode?: number;
  readonly out?: readonly (string | RegExp)[];
  readonly notOut?: readonly string[];
  readonly err?: readonly string[];
}

const cases: readonly Case[] = [
  { words: "--version", out: [/^0\.5\.0\n$/] },
  { words: "-V", out: [/^0\.5\.0\n$/] },
  { words: "", out: ["atomic workflows", "atomic run", "COMMAND --help"] },
  { words: "--help", out: ["Usage: atomic", "workflows", "Exit codes"] },
  { words: "help workflows", out: ["Usage: atomic workflows", "validate"] },
  { words: "workflows --help", out: ["Usage: atomic workflows", "list", "show", "graph", "validate", "new"] },
  { words: "workflows show --help", out: ["Usage: atomic workflows show", "<NAME>", "--json"] },
  {
    words: "workflows",
    out: [
      "build (make)",
      ".atomic/workflows/build.ts",
      "Builds the thing",
      "ralph (loop)",
      "built in",
      "~/.atomic/workflows/mine.ts",
      "Refused:",
      "syntax.ts:1",
    ],
  },
  { words: "workflows list", out: ["build (make)"] },
  { words: "workflows show build", out: ["--depth N  how deep (default 2)", "1.2.0", "never trusted", "lib/step.ts"] },
  {
    words: "workflows show loose",
    out: ["never trusted", "may load  .atomic/workflows/loose.ts:2: import()", "left-pad"],
  },
  { words: "workflows show MAKE", out: ["Builds the thing"] },
  { words: "workflows show ralph", out: ["comes with the program", "--workers N"] },
  { words: "workflows show mine", out: ["your own"] },
  { words: "workflows show buld", exitCode: 2, err: ["WORKFLOW_NOT_FOUND", `did you mean "build"?`] },
  {
    words: "workflows show .atomic/workflows/build.ts",
    exitCode: 2,
    err: ["WORKFLOW_NOT_FOUND", `called by its name: "build"`],
  },
  { words: "build it", exitCode: 2, err: ["USAGE", "unknown command 'build'", "`atomic run build`"] },
  { words: "workflows show", exitCode: 2, err: ["USAGE", "NAME", "atomic workflows show --help"] },
  { words: "workflows shw", exitCode: 2, err: ["USAGE", `did you mean "show"?`] },
  { words: "workflows show a b", exitCode: 2, err: ["USAGE", "too many arguments"] },
  {
    words: "workflows validate build",
    exitCode: 1,
    out: ["NOT_TRUSTED", "was never trusted"],
    err: ["1 of 1 workflow can't be used"],
  },
  { words: "workflows validate --trust build", out: ["ok       build", "2 nodes, 1 edge"] },
  { words: "workflows validate --trust broken", exitCode: 1, out: ["WORKFLOW_FILE_INVALID", "graphConfig.nodes"] },
  {
    words: "workflows validate --trust",
    exitCode: 1,
    out: ["ok       build", "invalid  broken", "invalid  loose", "ok       ralph"],
    err: ["3 of 6"],
  },
  { words: "workflows graph build", exitCode: 1, err: ["NOT_TRUSTED"] },
  { words: "workflows graph build --trust", out: [/^flowchart TD\n/, "n0 --> n1"] },
  { words: "workflows graph build --trust --format drawing", out: ["● one  (tool)\n│\n● two  (tool)"] },
  { words: "workflows graph build --format png", exitCode: 2, err: ["USAGE", "drawing, mermaid"] },
  {
    words: "agents",
    out: [
      "tester",
      ".claude/agents/tester.md",
      "planner",
      "built in",
      "Hidden:",
      "agent worker",
      "Refused:",
      "bad.md:1",
    ],
    notOut: ["deploy", "step.ts"],
  },
  { words: "agents tester", out: ["Tests things", "opus", "read, bash", "You test."] },
  { words: "agents atomic:worker", out: ["built in"], notOut: ["Another worker"] },
  {
    words: "agents testr",
    exitCode: 1,
    err: ["ENTITY_NOT_FOUND", `Agent not found: "testr" (did you mean "tester"?). \`atomic agents\` lists all.`],
  },
  { words: "skills list", exitCode: 1, err: [`Skill not found: "list". \`atomic skills\` lists all.`] },
  {
    words: "skills",
    out: ["deploy", "commit (ci)", "Not used:", "skills/empty: The folder has no SKILL.md"],
    notOut: ["tester", "bad.md"],
  },
  { words: "skills deploy", out: ["<where>", "Deploy to $ARGUMENTS."] },
  { words: "commands", out: ["/help", "/build, /make", "workflow", "/fix", "/deploy", "/tester", "/exit, /quit"] },
  { words: "commands fix", out: ["/fix", "command", ".claude/commands/fix.md", "Fix $ARGUMENTS."] },
  { words: "commands /MAKE", out: ["/build, /make", "atomic workflows show build"] },
  { words: "commands help", out: ["/help", "builtin", "built in"] },
  {
    words: "commands fx",
    exitCode: 1,
    err: ["ENTITY_NOT_FOUND", `Command not found: "fx" (did you mean "fix"?). \`atomic commands\` lists all.`],
  },
  { words: "config", out: ["limits.maxIterations", "100", "default"] },
  { words: "config get agent", out: [/^claude\n$/] },
  { words: "config get model", exitCode: 1, out: [/^$/] },
  { words: "config get agnt", exitCode: 1, err: ["SETTINGS_INVALID", `did you mean "agent"?`] },
  { words: "config path", out: ["/home/.atomic/settings.json", "/project/.atomic/settings.json"] },
  { words: "config schema", out: ["https://json-schema.org", "maxIterations"] },
  { words: "config set limits.maxCost five", exitCode: 1, err: ["SETTINGS_INVALID", "must be a number"] },
  { words: "config set --project sessions.dir x", exitCode: 1, err: ["a project may not set this"] },
  {
    words: "trust",
    exitCode: 1,
    out: ["workflow build: never trusted", "export const step = () => 1;"],
    err: ["Not trusted", "--yes"],
  },
  { words: "trust nowhere", exitCode: 2, err: ["USAGE", "nowhere"] },
  { words: "trust .claude/agents/tester.md", exitCode: 1, err: ["NOT_TRUSTED", "neither a workflow or tool"] },
  { words: "trust --list", out: ["Nothing is trusted yet."] },
  { words: "tasks migrate nope.json", exitCode: 2, err: ["USAGE", "nope.json"] },
  { words: "tasks", exitCode: 2 },
  { words: "tasks", exitCode: 2, err: ["USAGE", "`atomic tasks` needs one of its commands: `atomic tasks migrate`."] },
  { words: "tasks x", exitCode: 2, err: ["unknown command 'x'. See `atomic tasks --help`.\n"] },
  { words: "wrkflows", exitCode: 2, err: ["USAGE", "Did you mean workflows?"] },
  { words: "agents --jsn", exitCode: 2, err: ["USAGE", "--jsn", "Did you mean --json?", "atomic agents --help"] },
];

describe("atomic", () => {
  for (const { words, exitCode = 0, out = [], notOut = [], err = [] } of cases) {
    test(words === "" ? "alone" : words, async () => {
      const run = await world.run(words.split(" ").filter(Boolean));
      for (const text of out) expect(run.stdout).toMatch(text instanceof RegExp ? text : escaped(text));
      for (const text of notOut) expect(run.stdout).not.toContain(text);
      for (const text of err) expect(run.stderr).toContain(text);
      if (err.length === 0 && exitCode === 0) expect(run.stderr).toBe("");
      expect(run.exitCode).toBe(exitCode);
    });
  }
});

function escaped(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
}

const listings: readonly { words: string; has: object }[] = [
  {
    words: "workflows list",
    has: { found: expect.arrayContaining([expect.objectContaining({ name: "build", source: "local" })]) },
  },
  {
    words: "workflows show build",
    has: {
      name: "build",
      trust: "new",
      files: [join(project, ".atomic/workflows/build.ts"), join(project, ".atomic/workflows/lib/step.ts")],
    },
  },
  {
    words: "workflows validate --trust build",
    has: { results: [{ name: "build", isValid: true, nodes: 2, edges: 1 }] },
  },
  {
    words: "workflows graph --trust build",
    has: { graph: { start: "one", edges: [{ from: "one", to: "two", kind: "always" }] } },
  },
  {
    words: "agents",
    has: {
      hidden: expect.arrayContaining([
        expect.objectContaining({ name: "tester", hiddenBy: join(project, ".claude/agents/tester.md") }),
      ]),
      problems: [{ severity: "error", code: "frontmatter-script", line: 1 }],
    },
  },
  { words: "agents tester", has: { name: "tester", model: "opus", prompt: "You test." } },
  {
    words: "skills",
    has: { found: expect.arrayContaining([expect.objectContaining({ name: "deploy", argumentHint: "<where>" })]) },
  },
  {
    words: "commands",
    has: {
      found: expect.arrayContaining([
        expect.objectContaining({ name: "fix", kind: "command" }),
        expect.objectContaining({ name: "help", kind: "builtin" }),
      ]),
    },
  },
  {
    words: "trust",
    has: { questions: expect.arrayContaining([expect.objectContaining({ name: "workflow build", reason: "new" })]) },
  },
  { words: "trust --list", has: { trusted: [] } },
  {
    words: "config",
    has: { settings: expect.arrayContaining([{ key: "agent", value: "claude", origin: "default" }]), problems: [] },
  },
  { words: "config get agent", has: { key: "agent", value: "claude" } },
  { words: "config path", has: { user: expect.any(String) } },
  {
    words: "doctor",
    has: {
      checks: expect.arrayContaining([expect.objectContaining({ name: "atomic", status: "ok" })]),
      agents: expect.any(Array),
    },
  },
];

describe("--json of", () => {
  for (const { words, has } of listings) {
    test(words, async () => {
      const run = await world.run([...words.split(" "), "--json"]);
      expect(JSON.parse(run.stdout)).toMatchObject(has);
    });
  }
});

test("a reader that goes away is not an error", async () => {
  const piped = Bun.spawnSync(
    ["/bin/sh", "-c", `"$0" commands --json | head -c 10; echo "\${PIPESTATUS:-}"`, world.program],
    { cwd: project, env: world.env },
  );
  expect(piped.stderr.toString()).toBe("");
  const full = Bun.spawnSync(["/bin/sh", "-c", `"$0" commands > /dev/full`, world.program], {
    cwd: project,
    env: world.env,
  });
  expect(full.stderr.toString()).toContain("OUTPUT_FAILED");
  expect(full.exitCode).toBe(1);
});

test("an invalid home is reported, and help still works", async () => {
  const env = { ATOMIC_HOME: "relative/home" };
  expect((await world.run(["agents"], { env })).stderr).toContain("ATOMIC_HOME must be an absolute path");
  expect((await world.run(["agents"], { env: { HOME: "." } })).stderr).toContain("HOME must be an absolute path");
  expect((await world.run(["agents", "--help"], { env })).exitCode).toBe(0);
});
