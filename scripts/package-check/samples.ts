// Runs the design documents' samples on the packed package: the workflow files with the program, from a folder that has
// nothing else, and the library code under Bun and Node.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mustRun } from "../run-command.ts";
import { environment, projectRoot, type Packed } from "./packed.ts";
import { esbuild } from "./tools.ts";
import { writeFakeAgent } from "../../tests/support/fake-acp-agent.ts";
import { makePlace } from "./transcript.ts";

interface Sample {
  readonly name: string;
  /** The fixtures, and their paths in the project. */
  readonly files: Readonly<Record<string, string>>;
  readonly texts?: Readonly<Record<string, string>>;
  readonly run: string;
  /** The nodes that must finish, in this order; those of an inner workflow are prefixed with its path. */
  readonly nodes: readonly string[];
}

const samples: readonly Sample[] = [
  {
    name: "000, a file with metadata only",
    files: { "000-file-format.ts": ".atomic/workflows/my-workflow.ts" },
    run: "mw",
    nodes: ["prompt"],
  },
  {
    name: "001 §5.5, a file that exports a function",
    files: { "001-custom-workflow.ts": ".atomic/workflows/my-workflow.ts" },
    run: "custom",
    nodes: ["step-1", "step-2"],
  },
  {
    name: "001 §5.6, a workflow in a workflow",
    files: { "001-parent-workflow.ts": ".atomic/workflows/parent.ts" },
    texts: {
      ".atomic/workflows/child.ts": `import { agentNode, graph } from "@atomic/workflows";
export const name = "child-workflow";
export default () => graph().start(agentNode("work", { prompt: "Work" })).compile();
`,
    },
    run: "parent",
    nodes: ["setup", "work", "run-child", "cleanup"],
  },
  {
    name: "002 §5.2, a declarative file",
    files: { "002-declarative-workflow.ts": ".atomic/workflows/my-workflow.ts" },
    run: "my-workflow",
    nodes: ["planner", "execute"],
  },
  {
    name: "003 §5.6, nodes that look names up",
    files: { "003-node-resolvers.ts": ".atomic/workflows/by-name.ts" },
    texts: { ".claude/commands/review.md": "---\ndescription: Reviews\n---\nReview $ARGUMENTS\n" },
    run: "by-name",
    nodes: ["skill-commit", "command-review", "debug"],
  },
];

export async function checkSamples(packed: Packed, programs: Readonly<Record<string, string>>): Promise<string> {
  for (const [form, program] of Object.entries(programs)) {
    for (const sample of samples) await checkSample(sample, form, program, join(packed.temp, "sample"));
  }
  await checkLibrarySamples(packed);
  return `${samples.length} workflow files with ${Object.keys(programs).join(" and ")}; library code under Bun and Node`;
}

async function checkSample(sample: Sample, form: string, program: string, folder: string): Promise<void> {
  const { project, env } = await makePlace(folder);
  for (const [from, to] of Object.entries(sample.files)) {
    mkdirSync(dirname(join(project, to)), { recursive: true });
    cpSync(join(projectRoot, "tests/fixtures/documents", from), join(project, to));
  }
  for (const [to, text] of Object.entries(sample.texts ?? {})) {
    mkdirSync(dirname(join(project, to)), { recursive: true });
    writeFileSync(join(project, to), text);
  }
  const script = join(folder, "script.json");
  writeFileSync(script, JSON.stringify({ version: 1, turns: [{ steps: [{ say: "It is done." }] }] }));
  const options = { cwd: project, env, timeoutMs: 60_000 };
  await mustRun([program, "trust", "--yes"], options);
  await mustRun([program, "workflows", "validate", sample.run], options);
  const words = ["run", sample.run, "make tea", "--agent", "scripted", "--script", script, "--json"];
  const events = (await mustRun([program, ...words], options))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; node?: string; outcome?: string });
  const nodes = events.filter(({ type }) => type === "node.finished").map(({ node }) => node);
  if (events.at(-1)?.outcome !== "completed" || nodes.join() !== sample.nodes.join()) {
    throw new Error(
      `${sample.name}, run by ${form}, must finish ${sample.nodes.join()}, but finished ${nodes.join()}.`,
    );
  }
  rmSync(folder, { recursive: true, force: true });
}

async function checkLibrarySamples({ consumer, temp }: Packed): Promise<void> {
  for (const name of ["samples", "agent-samples"]) {
    const source = join(projectRoot, `scripts/package-consumer/${name}.ts`);
    const flags = ["--bundle", "--packages=external", "--format=esm", "--tsconfig-raw={}", `--outfile=${name}.js`];
    await mustRun([...esbuild, source, "--log-level=warning", ...flags], { cwd: consumer, env: environment });
    for (const command of [["node"], [process.execPath, "--no-env-file", "--no-install"]]) {
      // Nothing of the user's home, and no agent that is installed here: the samples contain what they need.
      const folder = mkdtempSync(join(temp, "library-"));
      const env = { PATH: environment["PATH"], HOME: folder, TMPDIR: folder };
      const acp = writeFakeAgent(folder, {}).split('" "')[1]?.slice(0, -1) ?? "";
      await mustRun([...command, `${name}.js`, folder, acp], { cwd: consumer, env, timeoutMs: 120_000 });
    }
  }
}
