// Answers in the format of Anthropic Messages, streamed or not.

import type { Json, JsonObject } from "../../lib/json.ts";
import type { ModelRequest } from "./model-request.ts";
import type { ModelStream } from "./model-stream.ts";
import type { ModelAnswer, ModelError } from "./scenario.ts";

export function anthropicError(error: ModelError): JsonObject {
  return { type: "error", error: { type: error.type, message: error.message }, request_id: "req_test" };
}

export function anthropicMessage(answer: ModelAnswer, request: ModelRequest, id: string): JsonObject {
  return {
    ...head(answer, request, id),
    content: blocks(answer, id),
    stop_reason: stopReason(answer),
    ...usageOf(answer, { ...inputUsage(answer), output_tokens: outputTokens(answer) }),
  };
}

export async function streamAnthropic(
  answer: ModelAnswer,
  request: ModelRequest,
  id: string,
  stream: ModelStream,
): Promise<void> {
  const send = (event: JsonObject & { readonly type: string }): void => stream.send(event, event.type);
  send({
    type: "message_start",
    message: {
      ...head(answer, request, id),
      content: [],
      stop_reason: null,
      ...usageOf(answer, { ...inputUsage(answer), output_tokens: 1 }),
    },
  });
  for (const [index, block] of blocks(answer, id).entries()) {
    const delta = (fields: JsonObject): void => send({ type: "content_block_delta", index, delta: fields });
    if (block["type"] === "text") {
      send({ type: "content_block_start", index, content_block: { type: "text", text: "" } });
      if (!(await stream.pieces(answer.text ?? "", (text) => delta({ type: "text_delta", text })))) return;
    } else if (block["type"] === "thinking") {
      send({ type: "content_block_start", index, content_block: { type: "thinking", thinking: "", signature: "" } });
      delta({ type: "thinking_delta", thinking: answer.thinking ?? "" });
      delta({ type: "signature_delta", signature: "test" });
    } else {
      send({ type: "content_block_start", index, content_block: { ...block, input: {} } });
      delta({ type: "input_json_delta", partial_json: JSON.stringify(block["input"]) });
    }
    send({ type: "content_block_stop", index });
  }
  send({
    type: "message_delta",
    delta: { stop_reason: stopReason(answer), stop_sequence: null },
    ...usageOf(answer, { output_tokens: outputTokens(answer) }),
  });
  send({ type: "message_stop" });
  stream.end();
}

function head(answer: ModelAnswer, request: ModelRequest, id: string): JsonObject {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: answer.model ?? request.model,
    stop_sequence: null,
  };
}

function blocks(answer: ModelAnswer, id: string): readonly JsonObject[] {
  const content: Record<string, Json>[] = [];
  if (answer.thinking !== undefined) content.push({ type: "thinking", thinking: answer.thinking, signature: "test" });
  if (answer.text !== undefined) content.push({ type: "text", text: answer.text });
  answer.tools?.forEach((tool, index) =>
    content.push({ type: "tool_use", id: `toolu_${id}_${index}`, name: tool.name, input: tool.input }),
  );
  return content;
}

const stopReason = ({ stop, tools }: ModelAnswer): string =>
  stop ?? ((tools?.length ?? 0) > 0 ? "tool_use" : "end_turn");
const outputTokens = (answer: ModelAnswer): number => answer.usage?.output ?? 25;

function usageOf(answer: ModelAnswer, usage: JsonObject): JsonObject {
  return answer.omitsUsage === true ? {} : { usage };
}

function inputUsage({ usage }: ModelAnswer): JsonObject {
  return {
    input_tokens: usage?.input ?? 100,
    cache_creation_input_tokens: usage?.cacheWrite ?? 0,
    cache_read_input_tokens: usage?.cacheRead ?? 0,
  };
}
