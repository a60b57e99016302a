import { spawn } from "node:child_process";
import { expect, test } from "bun:test";
import { divideOutput } from "./program-output.ts";

/** A program that writes these lines: what the turn gets of them, and what the SDK. */
async function divide(...lines: readonly string[]): Promise<{ readonly turn: unknown[]; readonly sdk: string }> {
  const script = lines.map((line) => `printf '%s\\n' '${line}'`).join("\n");
  const child = spawn("/bin/sh", ["-c", script], { env: {}, stdio: ["pipe", "pipe", "pipe"] });
  const turn: unknown[] = [];
  const { stdout } = divideOutput(child, (message) => turn.push(message));
  let sdk = "";
  for await (const text of stdout.setEncoding("utf8")) sdk += String(text);
  return { turn, sdk };
}

test("messages of a turn go to it in their order, and not to the SDK", async () => {
  const { turn, sdk } = await divide(
    '{"type":"stream_event","n":1}',
    '{"type":"assistant"}',
    '{"type":"stream_event"}',
  );
  expect(turn).toEqual([{ type: "stream_event", n: 1 }, { type: "assistant" }, { type: "stream_event" }]);
  expect(sdk).toBe("");
});

test("what the program and the SDK say to each other is no message of a turn", async () => {
  const talk = ['{"type":"control_request"}', '{"type":"control_response"}', '{"type":"keep_alive"}'];
  const { turn, sdk } = await divide(...talk, '{"type":"system","sdk_host_only":true}');
  expect(turn).toEqual([]);
  expect(sdk).toBe(`${talk.join("\n")}\n`);
});

test("a result is for both: it tells the SDK why a program did not start", async () => {
  const { turn, sdk } = await divide('{"type":"result","is_error":true}');
  expect(turn).toEqual([{ type: "result", is_error: true }]);
  expect(sdk).toBe('{"type":"result","is_error":true}\n');
});

test("what is no message is left out", async () => {
  const { turn, sdk } = await divide("Welcome!", "", "42", "null", '{"type":', '{"type":"assistant"}');
  expect(turn).toEqual([{ type: "assistant" }]);
  expect(sdk).toBe("");
});
