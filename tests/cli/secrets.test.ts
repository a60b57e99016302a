// Secrets in the user's environment, said and printed by everything that can say or print them: none is found in any file
// that Atomic writes, nor in what it prints. And every file of a run is its owner's only.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

// As careless as a umask can be.
const umask = process.umask(0);
afterAll(() => void process.umask(umask));

const world = createCliWorld();
const secrets: Readonly<Record<string, { readonly value: string; readonly hidden: readonly string[] }>> = {
  DB_PASS: { value: "hunter2", hidden: ["hunter2"] },
  MYSQL_PWD: { value: "qwertz77", hidden: ["qwertz77"] },
  GITHUB_PAT: { value: "pat-value-0001", hidden: ["pat-value-0001"] },
  STRIPE_KEY: { value: "stripe-value-0002", hidden: ["stripe-value-0002"] },
  SOME_API_TOKEN: { value: 'quote"and\\slash', hidden: ['quote"and', 'quote\\"and'] },
  DATABASE_URL: { value: "postgres://me:pg-pass-0003@db:5432/app", hidden: ["pg-pass-0003"] },
  HTTPS_PROXY: { value: "http://me:p%40ss-0004@127.0.0.1:9", hidden: ["p%40ss-0004", "p@ss-0004"] },
  AZURE_STORAGE: { value: "AccountName=x;AccountKey=azure-0005==;", hidden: ["azure-0005=="] },
  PLAIN_NAME: { value: "ghp_0123456789abcdefghijABCDEFGHIJ012345", hidden: ["ghp_0123456789"] },
  SIGNING: {
    value: "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0006\n-----END PRIVATE KEY-----",
    hidden: ["MIIEvQIBADANBgkqhkiG9w0006"],
  },
  ACME_LICENCE: { value: "acme-licence-0007", hidden: ["acme-licence-0007"] },
};
const env = Object.fromEntries(Object.entries(secrets).map(([name, { value }]) => [name, value]));
const values = Object.values(env);
const all = values.join("\n");
world.write("home/.atomic/settings.json", { mask: { names: "OTHER, ACME_*" } });

/** Every file below the folder. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

function foldersIn(folder: string): string[] {
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...below.flatMap((entry) => foldersIn(join(folder, entry.name)))];
}

function expectHidden(text: string, where: string): void {
  for (const [name, { hidden }] of Object.entries(secrets))
    for (const part of hidden) {
      const at = text.indexOf(part);
      if (at !== -1)
        throw new Error(`${where} shows ${name}: ${JSON.stringify(text.slice(Math.max(0, at - 300), at + 100))}`);
    }
}

function expectHiddenInFiles(...more: string[]): void {
  for (const file of [...filesIn(world.sessions), ...more]) expectHidden(readFileSync(file, "latin1"), file);
}

const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

test("no secret is in a file or in the output of a run that says all of them", async () => {
  const tasks = [
    { id: "1", title: `Use ${env["GITHUB_PAT"]}`, description: all, verify: "env; test -e tried" },
    { id: "2", title: "Second", acceptanceCriteria: values, metadata: { deep: { list: values } } },
  ];
  const script = world.script("says-all", [
    {
      agent: "worker",
      task: "1",
      steps: [
        { think: all },
        { say: all },
        { bash: "env; env >&2; touch tried; exit 1" },
        { write: { path: "notes.txt", content: all } },
        { say: all },
      ],
    },
    { agent: "worker", task: "2", steps: [{ say: all }, { fail: { kind: "crashed", message: all } }] },
    { steps: [{ say: all }] },
  ]);
  const list = world.write("project/list.json", { version: "1.0", tasks });
  const record = join(world.root, "recording.jsonl");
  writeFileSync(record, "old");
  chmodSync(record, 0o666);

  const words = ["ralph", "--feature-list", list, "--trust", "-a", "scripted", "--script", script, "--record", record];
  const limits = ["--max-tries", "2", "--max-reviews", "1", "--verify", `echo '${env["STRIPE_KEY"]}'; env`];
  const run = await world.run([...words, ...limits, "--json"], { env });

  expect(run.stdout).toContain("[masked DB_PASS]");
  expectHidden(run.stdout, "stdout");
  expectHidden(run.stderr, "stderr");
  expectHiddenInFiles(record);
  expect(readFileSync(record, "utf8")).toContain("[masked GITHUB_PAT]");
  expect(mode(record)).toBe("600");
});

test("no secret that a user types is in a file: a prompt, an option, an answer", async () => {
  world.workflow(
    "typed",
    `import { graph, askUserNode, createNode } from "atomic/workflows";
export const name = "typed";
export const description = "x";
export const options = { label: { type: "string", description: "x" } };
export const createState = ({ prompt, options, sessionId }) => ({ executionId: sessionId, outputs: {}, prompt, label: options.label });
export default () => graph().start(askUserNode({ id: "ask", question: "Which?" }))
  .then(createNode({ id: "fail", execute: async (ctx) => { ctx.emit("said", { env: { ...process.env } }); await ctx.step("part", async () => ({ ...process.env })); console.log(JSON.stringify(process.env)); throw new Error(JSON.stringify(process.env)); } }));
`,
  );
  const script = world.script("unused", [{ steps: [{ say: "x" }] }]);
  for (const json of [["--json"], []]) {
    const words = [
      "run",
      "typed",
      all,
      "--label",
      all,
      "--answer",
      `Which?=${all}`,
      "-a",
      "scripted",
      "--script",
      script,
    ];
    const run = await world.run([...words, ...json], { env });
    expect(run.exitCode).toBe(1);
    // What the author's own code prints is the author's.
    if (json.length > 0) expectHidden(run.stdout, "stdout");
  }
  expectHiddenInFiles();
  for (const id of readdirSync(world.sessions).filter((name) => /^[0-9a-f-]{36}$/.test(name))) {
    for (const show of ["show", "logs", "transcript"]) {
      const shown = await world.run(["sessions", show, id], { env });
      expectHidden(shown.stdout + shown.stderr, `sessions ${show}`);
    }
  }
});

test("every file of a run is readable by its owner only, and so is every folder", () => {
  const runs = readdirSync(world.sessions).filter((name) => /^[0-9a-f-]{36}$/.test(name));
  expect(runs.length).toBeGreaterThan(1);
  for (const run of runs) {
    const folder = join(world.sessions, run);
    for (const path of filesIn(folder)) expect([path, mode(path)]).toEqual([path, "600"]);
    for (const path of foldersIn(folder)) expect([path, mode(path)]).toEqual([path, "700"]);
    expect(filesIn(folder).length).toBeGreaterThan(3);
  }
});

test("files of a run that is under way are its owner's only, records of processes included", async () => {
  const script = world.script("long", [{ steps: [{ bash: "touch started; sleep 60" }] }]);
  const run = world.start(["ralph", "--yolo", "x", "-a", "scripted", "--script", script, "--json"], { env });
  const [, id = ""] = /"runId":"([^"]+)"/.exec(await run.seen("agent.turn-started")) ?? [];
  const folder = join(world.sessions, id);
  for (;;) if (readdirSync(join(folder, "processes")).some((name) => name.endsWith(".json"))) break;
  for (const path of filesIn(folder)) expect([path, mode(path)]).toEqual([path, "600"]);
  run.signal("SIGTERM");
  await run.ended;
});

test("without any secret nothing is masked", async () => {
  const script = world.script("plain", [{ steps: [{ say: "postgres true password localhost\nCOMPLETE" }] }]);
  const words = ["ralph", "--yolo", "x", "-a", "scripted", "--script", script, "--json"];
  const run = await world.run(words, { env: { DB_PASS: "postgres", MY_TOKEN: "true", KEY: "password" } });
  expect(run.stdout).not.toContain("[masked");
});
