import { expect, test } from "bun:test";
import { createToolProtocol } from "../tool-protocol.ts";
import { type CanUseTool, createClaudeControl } from "./claude-control.ts";

interface Wire {
  readonly control: ReturnType<typeof createClaudeControl>;
  readonly written: Record<string, unknown>[];
}

function connect(canUseTool: CanUseTool = async () => ({ behavior: "deny", message: "no" })): Wire {
  const written: Record<string, unknown>[] = [];
  let ids = 0;
  const control = createClaudeControl({
    newId: () => `id-${++ids}`,
    write: (line) => written.push(JSON.parse(line) as Record<string, unknown>),
    canUseTool,
    tools: createToolProtocol([]),
  });
  return { control, written };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a request resolves with the answer that repeats its id, in any order", async () => {
  const { control, written } = connect();
  const [first, second] = [control.request("interrupt"), control.request("set_model", { model: "opus" })];
  expect(written).toEqual([
    { type: "control_request", request_id: "id-1", request: { subtype: "interrupt" } },
    { type: "control_request", request_id: "id-2", request: { subtype: "set_model", model: "opus" } },
  ]);
  const answer = (id: string, response: object): boolean =>
    control.read({ type: "control_response", response: { subtype: "success", request_id: id, response } });

  expect(answer("id-2", { model: "opus" })).toBe(true);
  expect(answer("id-1", { still_queued: [] })).toBe(true);
  expect(answer("unknown", {})).toBe(true);
  expect([await first, await second]).toEqual([{ still_queued: [] }, { model: "opus" }]);
});

test("a request rejects with the program's error, and when the program is gone", async () => {
  const { control } = connect();
  const refused = control.request("set_model", { model: "none" });
  control.read({
    type: "control_response",
    response: { subtype: "error", request_id: "id-1", error: "no such model" },
  });
  await expect(refused).rejects.toThrow("no such model");

  const lost = control.request("interrupt");
  control.close(new Error("it is gone"));
  await expect(lost).rejects.toThrow("it is gone");
  await expect(control.request("interrupt")).rejects.toThrow("it is gone");
});

test("a question about a tool is answered with its own id", async () => {
  const { control, written } = connect(async (_name, input) => ({
    behavior: "allow",
    updatedInput: { ...input, b: 2 },
  }));
  const request = { subtype: "can_use_tool", tool_name: "Ask", tool_use_id: "t1", input: { a: 1 } };
  expect(control.read({ type: "control_request", request_id: "p1", request })).toBe(true);
  await settle();

  const response = { behavior: "allow", updatedInput: { a: 1, b: 2 }, toolUseID: "t1" };
  expect(written).toEqual([{ type: "control_response", response: { subtype: "success", request_id: "p1", response } }]);
});

test("a question that the program withdraws is stopped and not answered", async () => {
  let isStopped = false;
  const { control, written } = connect(
    (_name, _input, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          isStopped = true;
          resolve({ behavior: "deny", message: "stopped" });
        }),
      ),
  );
  control.read({ type: "control_request", request_id: "p1", request: { subtype: "can_use_tool", tool_name: "Ask" } });
  control.read({ type: "control_cancel_request", request_id: "p1" });
  await settle();

  expect(isStopped).toBe(true);
  expect(written).toEqual([]);
});

test("a request of an unknown kind and a handler that throws are answered with an error", async () => {
  const { control, written } = connect(async () => Promise.reject(new Error("broken")));
  control.read({ type: "control_request", request_id: "p1", request: { subtype: "no_such_kind" } });
  control.read({ type: "control_request", request_id: "p2", request: { subtype: "can_use_tool", tool_name: "Ask" } });
  await settle();

  expect(written).toMatchObject([
    { response: { subtype: "error", request_id: "p1", error: expect.stringContaining("no_such_kind") } },
    { response: { subtype: "error", request_id: "p2", error: "broken" } },
  ]);
});

test("messages of a turn are not part of the conversation; keep-alives and host-only ones are", () => {
  const { control } = connect();
  expect(control.read({ type: "assistant" })).toBe(false);
  expect(control.read({ type: "result" })).toBe(false);
  expect(control.read({ type: "keep_alive" })).toBe(true);
  expect(control.read({ type: "system", sdk_host_only: true })).toBe(true);
});
