// The executor as a program uses it: a definition with a small graph, a scripted client, a folder for its runs.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedAgent } from "atomic/testing";
import {
  agentNode,
  type BaseState,
  executeWorkflow,
  FileSaver,
  graph,
  type JournalStore,
  setClientProvider,
  waitNode,
  type WorkflowDefinition,
} from "atomic/workflows";

interface State extends BaseState {
  prompt: string;
  words: number;
  answer?: string;
}

let dir = "";
beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), "atomic-execute-"))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const createState: NonNullable<WorkflowDefinition["createState"]> = ({ sessionId, prompt, options }) => ({
  executionId: sessionId,
  outputs: {},
  prompt,
  words: Number(options["words"]),
});
const options = { words: { type: "number", default: 20, description: "the most words" } } as const;
const draft = agentNode<State>({ id: "draft", prompt: ({ prompt, words }) => `${words} words about ${prompt}` });
const ask = waitNode<State>({ id: "ask", prompt: "Good?", outputMapper: (answer) => ({ answer: answer as string }) });

const notes: WorkflowDefinition = {
  name: "notes",
  description: "Drafts notes",
  options,
  createState,
  createWorkflow: () => graph<State>().start(draft).then(ask).compile(),
};

test("a workflow gets its prompt, its options' defaults and its agent, pauses for a question, and is resumed", async () => {
  const client = scriptedAgent([{ match: "^20 words about tea$", steps: [{ say: "Hot." }] }]);
  const types: string[] = [];
  const paused = await executeWorkflow(notes, {
    client,
    prompt: "tea",
    dir,
    cwd: dir,
    onEvent: ({ type }) => void types.push(type),
  });

  expect(paused).toMatchObject({ success: false, status: "paused", reason: "needs-human" });
  expect(paused.questions.map(({ text }) => text)).toEqual(["Good?"]);
  expect(types).toContain("agent.turn-finished");
  expect(existsSync(paused.sessionDir)).toBe(true);

  const done = await executeWorkflow(notes, {
    client,
    resume: paused.run,
    answers: { [paused.questions[0]?.id ?? ""]: "yes" },
    dir,
    cwd: dir,
  });
  expect(done).toMatchObject({ success: true, status: "completed", run: paused.run });
  expect(done.state).toMatchObject({ answer: "yes", outputs: { draft: "Hot." } });
});

test("an agent that fails fails the workflow, with the error and what it took", async () => {
  const client = scriptedAgent([{ steps: [{ fail: { kind: "refused", message: "I won't." } }] }]);
  const failed = await executeWorkflow(notes, { client, prompt: "tea", options: { words: 3 }, dir, cwd: dir });

  expect(failed).toMatchObject({ success: false, status: "failed" });
  expect(failed.error?.message).toContain("I won't.");
  expect(failed.totals.turns).toBe(1);
});

test("a definition without a graph is one prompt to the agent", async () => {
  const { createWorkflow: _, createState: __, ...bare } = notes;
  const client = scriptedAgent([{ match: "tea", steps: [{ say: "Hot." }] }]);
  const done = await executeWorkflow(bare, { client, prompt: "tea", dir, cwd: dir });

  expect(done).toMatchObject({ success: true, totals: { turns: 1 }, state: { outputs: { prompt: "Hot." } } });
});

test("secrets of the environment are masked in everything that is recorded, unless the program says otherwise", async () => {
  const secret = "sk-test-0123456789abcdefghij";
  process.env["LIBRARY_API_KEY"] = secret;
  try {
    const client = scriptedAgent([{ steps: [{ say: `The key is ${secret}.` }] }]);
    const holders = async (redact?: false): Promise<readonly string[]> => {
      const own = mkdtempSync(join(dir, "masked-"));
      await executeWorkflow(notes, { client, prompt: secret, dir: own, cwd: dir, redact });
      const files = readdirSync(own, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
      return files
        .map((file) => join(file.parentPath, file.name))
        .filter((file) => readFileSync(file).includes(secret));
    };

    expect(await holders()).toEqual([]);
    expect(await holders(false)).not.toEqual([]);
  } finally {
    delete process.env["LIBRARY_API_KEY"];
  }
});

test("without a client those of setClientProvider take the turns, by type where a node names one", async () => {
  const other = agentNode<State>({ id: "other", agentType: "opencode", prompt: "again" });
  const twice: WorkflowDefinition = {
    ...notes,
    createWorkflow: () => graph<State>().start(draft).then(other).compile(),
  };
  const asked: string[] = [];
  setClientProvider((type) => {
    asked.push(type);
    return scriptedAgent([{ steps: [{ say: `from ${type}` }] }]);
  });
  try {
    const done = await executeWorkflow(twice, { prompt: "tea", dir, cwd: dir });
    expect(done.error).toBeUndefined();
    expect(done.state).toMatchObject({ outputs: { draft: "from claude", other: "from opencode" } });
  } finally {
    setClientProvider(null);
  }
  expect([...new Set(asked)]).toEqual(["claude", "opencode"]);
  await expect(executeWorkflow(twice, { dir, cwd: dir })).rejects.toThrow(
    "Pass a `client`, or call setClientProvider()",
  );
});

test("a run that another process works on between reading and opening it is not resumed from what was read", async () => {
  const client = scriptedAgent([{ steps: [{ say: "Hot." }] }]);
  const store = new FileSaver({ dir: join(dir, "raced") });
  const paused = await executeWorkflow(notes, { client, prompt: "tea", store, dir, cwd: dir });
  const answers = { [paused.questions[0]?.id ?? ""]: "yes" };
  const resume = (journal: JournalStore) =>
    executeWorkflow(notes, { client, resume: paused.run, answers, store: journal, dir, cwd: dir });
  const raced = new FileSaver({ dir: join(dir, "raced") });
  const open = raced.open.bind(raced);
  let left = 0;
  raced.open = async (...words) => {
    if (left-- > 0) await executeWorkflow(notes, { client, resume: paused.run, store, dir, cwd: dir });
    return open(...words);
  };

  left = 2;
  await expect(resume(raced)).rejects.toMatchObject({
    code: "RUN_OWNED",
    message: expect.stringContaining("Resume it again"),
  });
  left = 1;
  expect(await resume(raced)).toMatchObject({ status: "completed" });
});
