import { afterAll, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../lib/clock.ts";
import { createRedactor, createStreamRedactors } from "../../lib/redact.ts";
import { scriptedAgent } from "../../testing/scripted-agent.ts";
import type { AgentEvent } from "../events.ts";
import { answer } from "../questions.ts";
import { createRecordingClient } from "./recording-client.ts";
import { openRecordingFile, readRecordingFile } from "./recording-file.ts";
import { parseRecording } from "./recording-format.ts";
import { createReplayClient } from "./replay-client.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-recording-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function read(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const script = [
  { match: "ask", steps: [{ ask: { question: "Which?" }, as: "it" }, { say: "You said ${it}, token s3cret." }] },
  { match: "fail", steps: [{ fail: { kind: "rate_limited" as const, resetInMs: 3_600_000 } }] },
  { steps: [{ think: "hm" }, { bash: "echo out" }, { say: "a text of several pieces, longer than one" }] },
];

async function record(path: string): Promise<AgentEvent[][]> {
  const client = createRecordingClient(scriptedAgent(script), {
    clock: systemClock,
    write: openRecordingFile(path),
    redact: (text) => text.replaceAll("s3cret", "•••"),
  });
  const session = await client.open({ cwd: root, onQuestion: (question) => answer(question, "blue") });
  const turns = [];
  for (const prompt of ["ask me", "fail now", "work"]) turns.push(await read(session.turn(prompt)));
  await client.close();
  return turns;
}

const ofInterest = (events: readonly AgentEvent[]): string[] =>
  events.filter(({ type }) => !type.endsWith(".delta")).map(({ type }) => type);

test("a recorded run is played back event by event, with the answers it was given", async () => {
  const path = join(root, "run.jsonl");
  const originals = await record(path);
  const client = createReplayClient({ recording: readRecordingFile(path), source: path });
  const session = await client.open({ cwd: root, onQuestion: () => ({ type: "declined", reason: "declined" }) });

  for (const [index, prompt] of ["ask me", "fail now", "work"].entries()) {
    const played = await read(session.turn(prompt));
    expect(ofInterest(played)).toEqual(ofInterest(originals[index] ?? []));
  }
  expect(client.label).toContain("replay of scripted");
});

test("a played rate limit ends as long after the turn as the recorded one", async () => {
  const path = join(root, "limit.jsonl");
  await record(path);
  const session = await createReplayClient({ recording: readRecordingFile(path), source: path }).open({ cwd: root });
  const end = (await read(session.turn("fail now"))).at(-1);

  const resetAt = end?.type === "turn.failed" ? (end.failure.resetAt ?? 0) : 0;
  expect(Math.abs(resetAt - Date.now() - 3_600_000)).toBeLessThan(5000);
});

test("a recording is for its owner only, and holds no secret", async () => {
  const path = join(root, "secret.jsonl");
  await record(path);

  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8")).not.toContain("s3cret");
});

test("a prompt that differs is served by the next turn of the same agent; then none is left", async () => {
  const path = join(root, "order.jsonl");
  await record(path);
  const session = await createReplayClient({ recording: readRecordingFile(path), source: path }).open({ cwd: root });

  expect((await read(session.turn("something else"))).at(-1)).toMatchObject({
    type: "turn.completed",
    text: "You said blue, token •••.",
  });
  expect((await read(session.turn("work"))).at(-1)).toMatchObject({ type: "turn.completed" });
  await read(session.turn("x"));
  expect((await read(session.turn("x"))).at(-1)).toMatchObject({
    type: "turn.failed",
    failure: { message: expect.stringContaining("no turn left") },
  });
});

test("the turn that was under way when a run was killed is left out", async () => {
  const path = join(root, "torn.jsonl");
  await record(path);
  appendFileSync(path, '{"prompt":"half');

  expect(readRecordingFile(path).turns).toHaveLength(3);
});

const head = '{"recording":1,"agent":"claude","label":"x"}\n';
const bad: readonly (readonly [string, string, RegExp])[] = [
  ["an empty file", "", /line 1: it is empty/],
  ["a script", '{"version":1,"turns":[]}\n', /line 1: it is not a recording/],
  ["a later version", '{"recording":2,"agent":"a","label":"x"}\n', /line 1: it is not a recording of this version/],
  ["a line that is not JSON", `${head}{\n`, /line 2: /],
  [
    "a turn without an end",
    `${head}{"prompt":"x","startedAt":0,"events":[[0,{"type":"turn.started"}]]}\n`,
    /line 2: its last event does not end/,
  ],
  ["a turn without events", `${head}{"prompt":"x","startedAt":0,"events":[]}\n`, /line 2: /],
];

for (const [name, content, expected] of bad) {
  test(`parseRecording refuses ${name} and names the line`, () => {
    expect(() => parseRecording(content, "r.jsonl")).toThrow(
      expect.objectContaining({ code: "SCRIPT_INVALID", message: expect.stringMatching(expected) }),
    );
  });
}

test("a recording masks a secret that a command prints in pieces", async () => {
  const secret = "0123456789abcdefghij";
  const path = join(root, "pieces.jsonl");
  const client = createRecordingClient(
    // Each half arrives separately: the command waits until the first one was read.
    scriptedAgent([{ steps: [{ bash: `printf 0123456789; read line < ${join(root, "gate")}; echo abcdefghij` }] }]),
    {
      clock: systemClock,
      write: openRecordingFile(path),
      redact: createRedactor({ MY_TOKEN: secret }),
      createStreamRedactor: createStreamRedactors({ MY_TOKEN: secret }),
    },
  );
  Bun.spawnSync(["mkfifo", join(root, "gate")]);
  const session = await client.open({ cwd: root });
  const pieces: string[] = [];
  for await (const event of session.turn("go")) {
    if (event.type !== "tool.progressed") continue;
    pieces.push(event.output);
    if (pieces.length === 1) writeFileSync(join(root, "gate"), "\n");
  }
  await client.close();

  expect(pieces).toEqual(["0123456789", "abcdefghij\n"]);
  expect(readFileSync(path, "utf8")).toContain("[masked MY_TOKEN]");
  for (const half of ["0123456789", "abcdefghij"])
    expect(readFileSync(path, "utf8")).not.toContain(`"output":"${half}`);
});
