// The conversation with the program beside its messages: requests in both directions over its pipes, one JSON object a
// line, each with an id that its answer repeats. We ask it to initialize, to interrupt, for its model and its usage; it
// asks whether a tool may run and calls the tools of this process.

import { createDeferred, type Deferred } from "../../lib/deferred.ts";
import { messageOf } from "../../lib/errors.ts";
import { fieldsIn, textIn, type Fields } from "../fields.ts";
import type { McpMessage, ToolProtocol } from "../tool-protocol.ts";

export interface ClaudeControl {
  /** What the program answers. Rejects with its error, or when it ends without an answer. */
  request(subtype: string, fields?: Fields): Promise<Fields>;
  /** True when the message is a part of this conversation, and of no turn. */
  read(message: Fields): boolean;
  /** The program is gone: what it was asked is not answered any more, and what it asked needs no answer. */
  close(reason: Error): void;
}

export interface ClaudeControlOptions {
  readonly newId: () => string;
  readonly write: (line: string) => void;
  readonly canUseTool: CanUseTool;
  /** The tools of this process, when there are some. */
  readonly tools: ToolProtocol | undefined;
  /** What the program reports to the registered hooks. */
  readonly onHook?: ((input: Fields) => void) | undefined;
}

export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: { signal: AbortSignal; toolUseID: string; agentID?: string },
) => Promise<{ behavior: "allow"; updatedInput: Record<string, unknown> } | { behavior: "deny"; message: string }>;

/** None of these is a message of a turn, or a sign of life of one. */
const controlTypes: ReadonlySet<unknown> = new Set([
  "control_request",
  "control_response",
  "control_cancel_request",
  "keep_alive",
  "transcript_mirror",
]);

export function createClaudeControl({ newId, write, canUseTool, tools, onHook }: ClaudeControlOptions): ClaudeControl {
  /** Our requests, until they are answered. */
  const asked = new Map<string, Deferred<Fields>>();
  /** The program's requests, until we have answered. */
  const asking = new Map<string, AbortController>();
  let closed: Error | undefined;

  const send = (message: Fields): void => write(`${JSON.stringify(message)}\n`);

  function request(subtype: string, fields: Fields = {}): Promise<Fields> {
    if (closed !== undefined) return Promise.reject(closed);
    const id = newId();
    const answer = createDeferred<Fields>();
    asked.set(id, answer);
    send({ type: "control_request", request_id: id, request: { subtype, ...fields } });
    return answer.promise;
  }

  function readResponse(response: Fields): void {
    const id = textIn(response, "request_id") ?? "";
    const answer = asked.get(id);
    asked.delete(id);
    if (response["subtype"] === "success") answer?.resolve(fieldsIn(response, "response"));
    else answer?.reject(new Error(textIn(response, "error") ?? "it refused, and did not say why"));
  }

  async function answerRequest(id: string, asks: Fields): Promise<void> {
    const stop = new AbortController();
    asking.set(id, stop);
    let response: Fields;
    try {
      response = { subtype: "success", request_id: id, response: await answerTo(asks, stop.signal) };
    } catch (thrown) {
      response = { subtype: "error", request_id: id, error: messageOf(thrown) };
    }
    // Nothing waits for the answer to a request that was withdrawn.
    if (asking.delete(id) && closed === undefined) send({ type: "control_response", response });
  }

  async function answerTo(asks: Fields, signal: AbortSignal): Promise<Fields> {
    switch (asks["subtype"]) {
      case "can_use_tool": {
        const toolUseID = textIn(asks, "tool_use_id") ?? "";
        const agentID = textIn(asks, "agent_id");
        const input = { ...fieldsIn(asks, "input") };
        const options = { signal, toolUseID, ...(agentID !== undefined && { agentID }) };
        return { ...(await canUseTool(textIn(asks, "tool_name") ?? "", input, options)), toolUseID };
      }
      case "mcp_message": {
        if (tools === undefined) throw new Error(`There is no server "${textIn(asks, "server_name") ?? ""}"`);
        const message = fieldsIn(asks, "message") as McpMessage;
        signal.addEventListener("abort", () => tools.cancel(message.id), { once: true });
        // A notification has no reply, and still each request here is answered.
        return { mcp_response: (await tools.answer(message)) ?? { jsonrpc: "2.0", id: 0, result: {} } };
      }
      case "hook_callback":
        onHook?.(fieldsIn(asks, "input"));
        return {};
      default:
        throw new Error(`This host does not answer requests of the kind "${String(asks["subtype"])}"`);
    }
  }

  return {
    request,
    read(message) {
      const { type } = message;
      if (!controlTypes.has(type)) return message["sdk_host_only"] === true;
      const id = textIn(message, "request_id") ?? "";
      if (type === "control_response") readResponse(fieldsIn(message, "response"));
      else if (type === "control_request") void answerRequest(id, fieldsIn(message, "request"));
      else if (type === "control_cancel_request") {
        asking.get(id)?.abort();
        asking.delete(id);
      }
      return true;
    },
    close(reason) {
      if (closed !== undefined) return;
      closed = reason;
      for (const answer of asked.values()) answer.reject(reason);
      for (const stop of asking.values()) stop.abort();
      asked.clear();
      asking.clear();
    },
  };
}
