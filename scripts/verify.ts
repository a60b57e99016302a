// `npm run verify`: everything that must hold before a change goes in, cheapest first; the first failure stops it.
// `--skip NAME` leaves a stage out (repeatable), `--only NAME` runs just that one.

import { join } from "node:path";
import { scriptOptions } from "./script-options.ts";

interface Stage {
  readonly name: string;
  /** Programs, run one after the other from the project's folder. */
  readonly commands: readonly (readonly string[])[];
}

const projectRoot = join(import.meta.dir, "..");
const tool = (name: string): string => join(projectRoot, "node_modules/.bin", name);
const script = (name: string): readonly string[] => [
  process.execPath,
  "--no-env-file",
  join(projectRoot, "scripts", name),
];

const stages: readonly Stage[] = [
  { name: "format", commands: [[tool("oxfmt"), "--check"]] },
  { name: "lint", commands: [[tool("oxlint")]] },
  { name: "lint rules", commands: [script("check-lint-rules.ts")] },
  { name: "types", commands: [[tool("tsc"), "-p", "tsconfig.json"]] },
  { name: "engine types", commands: [[tool("tsc"), "-p", "tsconfig.engine.json"]] },
  {
    name: "unused code",
    commands: [
      [tool("knip"), "--no-config-hints"],
      // Code that only tests use counts as unused.
      [tool("knip"), "--no-config-hints", "--production", "--include", "files"],
    ],
  },
  { name: "tests", commands: [script("test.ts")] },
  { name: "kills", commands: [[...script("test-apart.ts"), "kills"]] },
  { name: "terminal", commands: [[...script("test-apart.ts"), "terminal"]] },
  { name: "examples", commands: [script("run-examples.ts")] },
  {
    name: "documents",
    commands: [
      [...script("sdk-document.ts"), "--check"],
      [...script("page-consoles.ts"), "--check"],
    ],
  },
  { name: "package", commands: [script("check-package.ts")] },
  { name: "first hour", commands: [script("first-hour.ts")] },
  { name: "walk", commands: [[...script("record-walk.ts"), "--check"]] },
];

const values = scriptOptions(import.meta.path, {
  skip: { type: "string", multiple: true, default: [] },
  only: { type: "string" },
});
const known = stages.map((stage) => stage.name);
for (const name of [...values.skip, ...(values.only === undefined ? [] : [values.only])]) {
  if (!known.includes(name)) throw new Error(`There is no stage "${name}". The stages are: ${known.join(", ")}.`);
}
const chosen = stages.filter(
  ({ name }) => !values.skip.includes(name) && (values.only === undefined || values.only === name),
);

const started = performance.now();
for (const stage of chosen) {
  const stageStarted = performance.now();
  console.log(`\n== ${stage.name}`);
  if (!(await run(stage))) {
    console.error(`\nverify: stage "${stage.name}" failed after ${seconds(stageStarted)}`);
    console.error(`Run it alone with: npm run verify -- --only "${stage.name}"`);
    process.exit(1);
  }
  console.log(`== ${stage.name}: passed in ${seconds(stageStarted)}`);
}
console.log(`\n${seconds(started)} in all`);
console.log(`verify: ${chosen.length} ${chosen.length === 1 ? "stage" : "stages"} passed`);

async function run(stage: Stage): Promise<boolean> {
  for (const command of stage.commands) {
    const child = Bun.spawn([...command], {
      cwd: projectRoot,
      env: process.env,
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
    });
    if ((await child.exited) !== 0) return false;
  }
  return true;
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
