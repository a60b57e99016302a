// The application as a front end uses it: runs start and are resumed with typed options, and are in the front end's hands
// from that moment on. Real stores, real workflow files, the embedded agent.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type App, createApp } from "../../src/app/create-app.ts";
import { createParts } from "../../src/main/create-parts.ts";
import { connectRuns } from "../../src/tui/connect-runs.ts";
import { performRunCommand } from "../../src/tui/dialogs/run-command.ts";

setDefaultTimeout(60_000);

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-app-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const script = write("script.json", JSON.stringify({ version: 1, turns: [{ steps: [{ say: "ok" }] }] }));
write(
  "home/.atomic/workflows/ask.ts",
  `import { askUserNode, createNode, graph } from "atomic/workflows";
export const name = "ask";
export const description = "Asks";
export const prompt = "optional";
export const options = { depth: { type: "number", default: 1, description: "how deep" } };
export default () => graph()
  .start(createNode({ id: "first", execute: async () => ({ stateUpdate: { outputs: { first: 1 } } }) }))
  .then(askUserNode({ id: "colour", question: "Which colour?", options: ["red", "blue"] }));
`,
);

function appIn(folder: string, environment: Readonly<Record<string, string>> = {}): App {
  const projectDir = join(root, folder);
  mkdirSync(projectDir, { recursive: true });
  const homeDir = join(root, "home");
  const folders = { projectDir, currentDir: projectDir, homeDir, atomicHome: join(homeDir, ".atomic") };
  return createApp({
    ...createParts(),
    folders,
    environment: { HOME: homeDir, PATH: "/usr/bin:/bin", ...environment },
  });
}

const options = { workflow: "ask", prompt: "hello", script } as const;

test("a handle is there at once, with the id of the run, its events, its view and its end", async () => {
  const { runs } = appIn("handle");
  const handle = runs.start({ ...options, options: { depth: 3 } });
  const types: string[] = [];
  for await (const { type } of handle.events) types.push(type);
  const result = await handle.done;

  expect(result).toMatchObject({ run: handle.id, status: "paused", reason: "needs-human" });
  expect(types[0]).toBe("run.started");
  expect(types.at(-1)).toBe("run.paused");
  expect(handle.view).toMatchObject({ id: handle.id, workflow: "ask", status: "paused", options: { depth: 3 } });
  expect([...handle.view.questions.values()]).toMatchObject([{ text: "Which colour?", freeText: false }]);
  // A later reader gets all of it too.
  const again: string[] = [];
  for await (const { type } of handle.events) again.push(type);
  expect(again).toEqual(types);

  const asked = await runs.at(handle.id, 1);
  expect(asked).toMatchObject({ status: "running", lastSeq: 1 });
  expect(asked.questions.size).toBe(0);
});

test("a question is answered through the handle, while the process stays", async () => {
  const { runs } = appIn("answer");
  const handle = runs.start(options, { questions: "stay" });
  for await (const { type } of handle.events) if (type === "question.asked") break;

  const wrong = await handle.answer({ value: "green" }).catch((error: unknown) => error);
  expect(wrong).toMatchObject({ code: "QUESTION_ANSWER_INVALID" });
  expect(await handle.answer({ question: "colour", value: "blue" })).toMatchObject({ result: "answered" });
  expect(await handle.done).toMatchObject({ status: "completed", state: { outputs: { first: 1, colour: "blue" } } });
});

test("a handle pauses and cancels; a paused run is resumed by another one, and a cancelled one is not", async () => {
  const { runs } = appIn("stop");
  const first = runs.start(options, { questions: "stay" });
  for await (const { type } of first.events) if (type === "question.asked") break;
  first.pause();
  expect(await first.done).toMatchObject({ status: "paused", reason: "paused" });

  const second = runs.resume({ run: first.id }, { questions: "stay" });
  expect(second.id).toBe(first.id);
  second.cancel();
  expect(await second.done).toMatchObject({ status: "cancelled" });
  await expect(runs.resume({ run: first.id }).done).rejects.toMatchObject({ code: "RUN_FINISHED" });
});

test("a handle that resumes @last or a prefix has the real id, and answers and lists events by it", async () => {
  const { runs } = appIn("reference");
  const { run } = await runs.start(options).done;
  const last = runs.resume({ run: "@last" });
  expect(await last.done).toMatchObject({ run, status: "paused" });
  expect(last.id).toBe(run);
  expect(last.view.id).toBe(run);
  const types: string[] = [];
  for await (const { type } of last.events) types.push(type);
  expect(types).toContain("run.started");

  const prefix = runs.resume({ run: run.slice(0, 20) }, { questions: "stay" });
  // The answer waits until the run is known.
  expect(await prefix.answer({ value: "red" })).toMatchObject({ question: { text: "Which colour?" } });
  expect(prefix.id).toBe(run);
  expect(await prefix.done).toMatchObject({ run, status: "completed" });

  const none = runs.resume({ run: "ffffffff" });
  expect(await none.answer({ value: "red" }).catch((error: unknown) => error)).toMatchObject({ code: "RUN_NOT_FOUND" });
});

test("a run that is resumed at an open question shows that it runs before it is answered", async () => {
  const { runs } = appIn("resumed-at-question");
  const { run } = await runs.start(options).done;
  const { lastSeq } = (await runs.page(run)).view;
  const handle = runs.resume({ run }, { questions: "stay" });
  for await (const { type, seq } of handle.events) if (seq > lastSeq && type === "run.started") break;

  expect((await runs.page(run)).status).toBe("running");
  handle.cancel();
  await handle.done;
});

test("a handle that is cancelled while it pauses ends cancelled, for its events and its view too", async () => {
  const { runs } = appIn("pause-cancel");
  const heard: string[] = [];
  const handle = runs.start(options, { questions: "stay", onEvent: (_, { type }) => heard.push(type) });
  for await (const { type } of handle.events) if (type === "question.asked") break;
  const types: string[] = [];
  const reading = (async () => {
    for await (const { type } of handle.events) types.push(type);
  })();
  handle.pause();
  handle.cancel();

  expect(await handle.done).toMatchObject({ status: "cancelled", questions: [] });
  await reading;
  expect(types.at(-1)).toBe("run.finished");
  expect(heard.at(-1)).toBe("run.finished");
  expect(handle.view.status).toBe("cancelled");
  expect((await runs.page(handle.id)).status).toBe("cancelled");
});

test("what can't start rejects done: an unknown workflow, a wrong option, a folder where another run is live", async () => {
  const { runs } = appIn("refused");
  await expect(runs.start({ ...options, workflow: "nosuch" }).done).rejects.toMatchObject({
    code: "WORKFLOW_NOT_FOUND",
  });
  for (const wrong of [{ depth: "deep" }, { unknown: 1 }])
    await expect(runs.start({ ...options, options: wrong }).done).rejects.toMatchObject({ code: "USAGE" });
  await expect(runs.start({ ...options, limits: { maxCostUsd: -1 } }).done).rejects.toMatchObject({ code: "USAGE" });

  const live = runs.start(options, { questions: "stay" });
  for await (const { type } of live.events) if (type === "question.asked") break;
  const prepared = await runs.prepare(options);
  expect(prepared.live).toMatchObject([{ id: live.id, workflow: "ask" }]);
  await expect(runs.start(prepared).done).rejects.toMatchObject({ code: "FOLDER_BUSY" });
  const beside = runs.start(prepared, { isConcurrent: true });
  expect(await beside.done).toMatchObject({ status: "paused" });
  live.cancel();
  await live.done;
});

test("catalog and settings are read again after a reload", async () => {
  const app = appIn("reload");
  const names = async (): Promise<readonly string[]> => (await app.catalog.workflows()).found.map(({ name }) => name);
  expect(await names()).not.toContain("late");
  write("reload/.atomic/workflows/late.ts", 'export const name = "late";\nexport const description = "Late";\n');
  expect(await names()).not.toContain("late");
  app.catalog.reload();
  expect(await names()).toContain("late");

  await app.settings.change({ key: "limits.maxIterations", value: "7", isProject: true });
  const { limits } = await app.runs.prepare(options);
  expect(limits.maxIterations).toBe(7);
});

test("settings that were changed on disk count after a reload, and the workflows of a reloaded catalog can run", async () => {
  const app = appIn("reload-files");
  expect((await app.runs.prepare(options)).limits.maxIterations).toBe(100);
  write("reload-files/.atomic/settings.json", '{ "limits": { "maxIterations": 9 } }');
  expect((await app.runs.prepare(options)).limits.maxIterations).toBe(100);
  app.settings.reload();
  expect((await app.runs.prepare(options)).limits.maxIterations).toBe(9);

  write("home/.atomic/workflows/later.ts", 'export const name = "later";\nexport const description = "Later";\n');
  app.catalog.reload();
  expect(await app.runs.usage("later")).toMatchObject({ name: "later", description: "Later" });
});

test("agents are listed with what they can do and their place in the settings' order", async () => {
  const app = appIn("agents", { ATOMIC_AGENT: "opencode,acp:no-such-program" });
  const found = await app.agents.list();

  expect(found.map(({ kind, preference }) => [kind, preference])).toEqual([
    ["opencode", 1],
    ["acp:no-such-program", 2],
    ["claude", undefined],
    ["copilot", undefined],
  ]);
  for (const { capabilities } of found) expect(capabilities.streaming).toBeDefined();
  expect(found.find(({ kind }) => kind === "claude")).toMatchObject({ capabilities: { questions: true } });
  await expect(app.agents.models("claud")).rejects.toMatchObject({ code: "AGENT_UNKNOWN" });
  await expect(app.agents.models("acp:no-such-program")).rejects.toMatchObject({ code: "AGENT_UNAVAILABLE" });
});

test("commands are listed, described, and run to data in the form of the commands' contract", async () => {
  write(
    "commands/.claude/commands/fix.md",
    "---\ndescription: Fixes\nargument-hint: <issue>\n---\nFix $ARGUMENTS now.",
  );
  const { commands } = appIn("commands");
  expect((await commands.list()).found.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["help", "fix", "ralph"]),
  );
  expect(await commands.describe("/FIX")).toMatchObject({
    name: "fix",
    kind: "command",
    prompt: "Fix $ARGUMENTS now.",
  });
  expect(await commands.describe("loop")).toMatchObject({ name: "ralph", kind: "workflow" });
  await expect(commands.describe("fx")).rejects.toMatchObject({ code: "ENTITY_NOT_FOUND" });

  expect(await commands.run("/exit")).toEqual({ success: true, shouldExit: true });
  expect(await commands.run("/clear")).toEqual({ success: true, clearMessages: true, destroySession: true });
  expect(await commands.run("/theme dark")).toEqual({ success: true, themeChange: "dark" });
  expect(await commands.run("/model opus")).toEqual({ success: true, modelDisplayName: "opus" });
  expect(await commands.run("/fix #7")).toEqual({
    success: true,
    skillLoaded: "fix",
    next: { kind: "prompt", text: "Fix #7 now." },
  });
  expect(await commands.run('/ralph "Add a parser" --workers 2')).toMatchObject({
    success: true,
    next: { kind: "workflow", workflow: "ralph", prompt: "Add a parser", options: { workers: 2 } },
  });
  expect(await commands.run("/debugger the leak")).toMatchObject({ next: { kind: "subagent", agent: "debugger" } });
  expect((await commands.run("/help fix")).message).toContain("/fix <issue>");
  for (const refused of ["/nosuch", "fix it", "/ralph --workers x y", "/mcp"])
    expect(await commands.run(refused)).toMatchObject({ success: false, message: expect.stringMatching(/./) });
});

test("an app works in another folder, and trust finds the project around a path", async () => {
  const app = appIn("near");
  write("far/.atomic/workflows/own.ts", 'export const name = "own";\nexport const description = "Own";\n');
  expect((await app.inFolder("../far").catalog.workflow("own")).name).toBe("own");
  expect(() => app.inFolder("../nowhere")).toThrow("is not a folder");
  expect(app.inFolder(undefined)).toBe(app);

  const { questions } = await app.trust.overview("../far/.atomic/workflows/own.ts");
  expect(questions).toMatchObject([{ name: "workflow own" }]);
  await questions[0]?.accept();
  expect((await app.trust.overview("../far")).trusted).toContain("workflow own");
  expect(await app.trust.forget("../far")).toMatchObject([{ path: join(root, "far/.atomic/workflows/own.ts") }]);
  expect(await app.settings.schema()).toHaveProperty("properties");
});

test("a feature list becomes a task list, and no file is written over", async () => {
  const app = appIn("lists");
  const features = [{ category: "functional", description: "Parse", steps: ["Write it"], passes: false }];
  write("lists/features.json", JSON.stringify(features));

  expect(await app.tasks.migrate("features.json")).toMatchObject({ tasks: 1, text: expect.stringContaining("Parse") });
  expect((await app.tasks.migrate("features.json", "tasks.json")).output).toBe(join(root, "lists/tasks.json"));
  await expect(app.tasks.migrate("features.json", "tasks.json")).rejects.toMatchObject({ code: "FILE_EXISTS" });
  await expect(app.tasks.migrate("nothing.json")).rejects.toMatchObject({ code: "USAGE" });
});

test("a fork that the screen can't resume is not left behind, and is not shown", async () => {
  const { runs } = appIn("fork-refused");
  const { run } = await runs.start(options).done;
  const before = await runs.ids();
  rmSync(join(root, "fork-refused"), { recursive: true });
  const cwd = join(root, "fork-refused");
  const { port } = connectRuns({ runs, cwd, askTrust: async () => false, now: Date.now });

  const outcome = await performRunCommand(port, { type: "fork", run, seq: 2 });
  expect(outcome).toEqual({ note: expect.stringContaining(cwd) });
  expect(await runs.ids()).toEqual(before);
});
