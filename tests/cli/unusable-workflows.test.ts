// Workflow files that can't run, or not yet: the reason is reported when they are requested, and at a terminal they
// can be looked at and trusted on the spot.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const folder = "project/.atomic/workflows";

function makeWorld(): CliWorld & { readonly words: (name: string) => string[]; readonly proof: string } {
  const world = createCliWorld();
  const script = world.script("nothing", [{ steps: [{ say: "ok" }] }]);
  const proof = join(world.root, "ran");
  return { ...world, proof, words: (name) => ["run", name, "--script", script] };
}

const localSource = (proof: string, more = ""): string => `import { createNode, graph } from "atomic/workflows";
import { writeFileSync } from "node:fs";
import { text } from "./parts/text.ts";
writeFileSync(${JSON.stringify(proof)}, "");
export const name = "local";
export const description = "Of the project";
export const prompt = "none";
${more}
export default () => graph().start(createNode({ id: "only", execute: async () => ({ stateUpdate: { outputs: { only: text } } }) }));
`;

test("a broken workflow file says what is wrong with it, by its name, its file's name or its path", async () => {
  const world = makeWorld();
  world.write(`${folder}/half.ts`, 'export const name = "other";\nexport const description = "x;\n');
  world.write(`${folder}/helper.ts`, "export const one = 1;\n");
  world.write(`${folder}/plain.js`, "export default 1;\n");
  world.write(`${folder}/huge.ts`, `export const name = "huge"; // ${"x".repeat(1024 * 1024)}\n`);
  for (const [name, reason] of [
    ["half", /half\.ts:2 can't be used: Syntax error: a string is not closed/],
    ["OTHER", /half\.ts:2 can't be used: Syntax error: a string is not closed/],
    [".atomic/workflows/half.ts", /half\.ts:2 can't be used: Syntax error/],
    ["helper", /helper\.ts can't be used: It exports no workflow/],
    ["plain", /plain\.js can't be used: Only \.ts files are read here/],
    ["huge", /huge\.ts can't be used: .*(?:large|bytes|MB)/],
  ] as const) {
    const run = await world.run(world.words(name));
    expect([name, run.exitCode]).toEqual([name, 1]);
    expect(run.stderr).toMatch(reason);
    expect(run.stderr).toContain("WORKFLOW_FILE_INVALID");
    expect(run.stderr).not.toContain("not found");
  }
  expect((await world.run(world.words("nothing-like-it"))).stderr).toContain("WORKFLOW_NOT_FOUND");
});

test("workflows validate counts files that could not even be listed", async () => {
  const world = makeWorld();
  world.write(`${folder}/half.ts`, "export default (");
  const all = await world.run(["workflows", "validate", "--trust", "--json"]);
  const { results } = JSON.parse(all.stdout) as { results: { name: string; isValid: boolean; file?: string }[] };

  expect(all.exitCode).toBe(1);
  expect(results.filter(({ isValid }) => !isValid)).toMatchObject([
    { name: "half", file: join(world.root, folder, "half.ts"), error: { code: "WORKFLOW_FILE_INVALID" } },
  ]);
});

test("a broken file of the project that would hide another workflow is not passed over in silence", async () => {
  const world = makeWorld();
  world.workflow(
    "mine",
    `export const name = "mine";\nexport const description = "My own";\nexport const prompt = "none";\n`,
  );
  world.write(`${folder}/mine.ts`, "export default (");
  const run = await world.run(world.words("mine"));

  expect(run.exitCode).toBe(0);
  expect(run.stderr).toMatch(
    /notice: .*mine\.ts:1 can't be used: Syntax error.* The global workflow of this name is used/,
  );
});

test("without a terminal an untrusted workflow says how to trust it, and does not run", async () => {
  const world = makeWorld();
  world.write(`${folder}/parts/text.ts`, 'export const text = "as trusted";\n');
  world.write(`${folder}/local.ts`, localSource(world.proof));
  const run = await world.run(world.words("local"));

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain("was never trusted, so it does not run");
  expect(run.stderr).toContain("`atomic trust`");
  expect(existsSync(world.proof)).toBe(false);
});

test("at a terminal a workflow can be shown, trusted and run on the spot; a later change asks again", async () => {
  const world = makeWorld();
  world.write(`${folder}/parts/text.ts`, 'export const text = "as trusted";\n');
  world.write(`${folder}/local.ts`, localSource(world.proof));

  const no = world.atTerminal(world.words("local"));
  await no.seen("Show it now, and decide? [y/N]");
  no.type("");
  const declined = await no.ended;
  expect(declined.exitCode).toBe(1);
  expect(declined.shown).toContain("NOT_TRUSTED");

  const unsure = world.atTerminal(world.words("local"));
  await unsure.seen("Show it now, and decide? [y/N]");
  unsure.type("y");
  await unsure.seen("Trust the workflow local, and run it? [y/N]");
  unsure.type("n");
  expect((await unsure.ended).exitCode).toBe(1);
  expect(existsSync(world.proof)).toBe(false);

  const yes = world.atTerminal(world.words("local"));
  await yes.seen("Show it now, and decide? [y/N]");
  yes.type("y");
  await yes.seen("Trust the workflow local, and run it? [y/N]");
  yes.type("y");
  const { exitCode, shown } = await yes.ended;
  expect(shown).toContain('│ export const text = "as trusted";');
  expect(shown).toContain("It uses node:fs");
  expect(shown).toContain("Started Local session: ");
  expect(shown.trimEnd()).toEndWith("as trusted");
  expect(exitCode).toBe(0);
  expect(existsSync(world.proof)).toBe(true);

  // The consent is kept, for exactly these bytes.
  expect((await world.run(world.words("local"))).exitCode).toBe(0);
  world.write(`${folder}/parts/text.ts`, 'export const text = "changed";\n');
  expect((await world.run(world.words("local"))).stderr).toContain("has changed since it was trusted");
  const again = world.atTerminal(world.words("local"));
  await again.seen("has changed since it was trusted");
  await again.seen("Show it now, and decide? [y/N]");
  again.type("yes");
  await again.seen('+ export const text = "changed";');
  await again.seen("Trust the workflow local, and run it? [y/N]");
  again.type("yes");
  expect((await again.ended).exitCode).toBe(0);
});

test("at a terminal, --no-questions and --json ask nothing", async () => {
  const world = makeWorld();
  world.write(`${folder}/parts/text.ts`, 'export const text = "x";\n');
  world.write(`${folder}/local.ts`, localSource(world.proof));
  for (const flag of ["--no-questions", "--json"]) {
    const { exitCode, shown } = await world.atTerminal([...world.words("local"), flag]).ended;
    expect(exitCode).toBe(1);
    expect(shown).toContain("NOT_TRUSTED");
    expect(shown).not.toContain("[y/N]");
  }
});
