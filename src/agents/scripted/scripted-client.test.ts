import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedAgent } from "../../testing/scripted-agent.ts";
import type { TerminalEvent } from "../events.ts";
import { isTerminal, type AgentEvent } from "../events.ts";
import type { AgentClient, OpenOptions, TurnOptions } from "../port.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-scripted-client-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function turn(
  client: AgentClient,
  prompt: string,
  open: Partial<OpenOptions> = {},
  options: TurnOptions = {},
): Promise<{ events: AgentEvent[]; end: TerminalEvent }> {
  const session = await client.open({ cwd: root, ...open });
  const events: AgentEvent[] = [];
  for await (const event of session.turn(prompt, options)) events.push(event);
  await session.close();
  const end = events.at(-1);
  if (end === undefined || !isTerminal(end)) throw new Error("no end");
  return { events, end };
}

test("the first turn that fits and has times left serves", async () => {
  const client = scriptedAgent([
    { agent: "worker", task: "3", steps: [{ say: "worker on 3" }] },
    { agent: "worker", times: 1, steps: [{ say: "worker once" }] },
    { match: "pars(er|ing)", steps: [{ say: "parser" }] },
    { steps: [{ say: "anything" }] },
  ]);
  const worker = { agent: { name: "atomic:worker", prompt: "" } };
  const text = async (
    ...args: Parameters<typeof turn> extends [unknown, ...infer Rest] ? Rest : never
  ): Promise<string> => (await turn(client, ...args)).end.text;

  expect(await text("x", worker, { task: { id: "3", title: "t" } })).toBe("worker on 3");
  expect(await text("x", worker, { task: { id: "9", title: "3" } })).toBe("worker on 3");
  expect(await text("x", worker, { task: { id: "4", title: "t" } })).toBe("worker once");
  expect(await text("x", worker)).toBe("anything");
  expect(await text("Add the parser")).toBe("parser");
});

test("a turn that nothing serves fails and says which agent, task and prompt", async () => {
  const { end } = await turn(
    scriptedAgent([]),
    "Add the parser",
    { agent: { name: "worker", prompt: "" } },
    { task: { id: "3", title: "Parser" } },
  );

  expect(end).toMatchObject({ type: "turn.failed", failure: { kind: "refused", retryable: false } });
  expect(end.type === "turn.failed" && end.failure.message).toMatch(
    /agent "worker", task 3 \("Parser"\) and the prompt "Add the parser"/,
  );
});

test("the text of a turn is the concatenation of its say steps, tools between them or not", async () => {
  const { end, events } = await turn(
    scriptedAgent([{ steps: [{ say: "one " }, { bash: "true" }, { say: "two" }] }]),
    "x",
  );

  expect(end.text).toBe("one two");
  expect(events.findLast((event) => event.type === "message.finished")).toMatchObject({ text: "one two" });
});

test("answers and outputs are put into later text, and nothing else is", async () => {
  const client = scriptedAgent([
    {
      steps: [
        { ask: { question: "Which?" }, as: "colour" },
        { bash: 'X=1; echo "${X}-${colour}"', as: "printed" },
        { write: { path: "note-${colour}.txt", content: "${printed} ${unset}" } },
        { say: "${colour} ${printed}" },
      ],
    },
  ]);
  const { end } = await turn(client, "x", { onQuestion: () => ({ type: "answered", answers: [["blue"]] }) });

  expect(end.text).toBe("blue 1-blue");
  expect(readFileSync(join(root, "note-blue.txt"), "utf8")).toBe("1-blue ${unset}");
});

test("a command that does not end as expected fails the turn and names the step", async () => {
  const { end } = await turn(scriptedAgent([{ steps: [{ say: "x" }, { bash: "echo why; exit 4", expect: 0 }] }]), "x");

  expect(end).toMatchObject({
    type: "turn.failed",
    failure: {
      kind: "refused",
      message: expect.stringMatching(/turns\[0\]\.steps\[1\].*ended with 4.*expects 0.*why/s),
    },
  });
});

test("a script that writes outside its folder fails the turn", async () => {
  const { end } = await turn(scriptedAgent([{ steps: [{ write: { path: "../escape.txt", content: "x" } }] }]), "x");

  expect(end).toMatchObject({
    type: "turn.failed",
    failure: { kind: "refused", message: expect.stringContaining("outside the working folder") },
  });
});

test("sub-agents without end are stopped", async () => {
  const { end } = await turn(scriptedAgent([{ steps: [{ subagent: { agent: "again", prompt: "x" } }] }]), "x");

  expect(end).toMatchObject({ type: "turn.failed", failure: { message: expect.stringContaining("8 deep") } });
});

test("the turn continues after a sub-agent fails", async () => {
  const client = scriptedAgent([
    { agent: "weak", steps: [{ fail: { kind: "overloaded" } }] },
    { steps: [{ subagent: { agent: "weak", prompt: "x" } }, { say: "went on" }] },
  ]);
  const { end, events } = await turn(client, "x");

  expect(end).toMatchObject({ type: "turn.completed", text: "went on" });
  expect(events.find((event) => event.type === "subagent.finished")).toMatchObject({ outcome: "failed" });
});

test("a crash is a failure of kind crashed with its exit code", async () => {
  const { end } = await turn(scriptedAgent([{ steps: [{ say: "so far" }, { crash: 9 }] }]), "x");

  expect(end).toMatchObject({ type: "turn.failed", text: "so far", failure: { kind: "crashed", exitCode: 9 } });
});

test("its label says that there is no model", () => {
  expect(scriptedAgent([]).label).toContain("no model");
});
