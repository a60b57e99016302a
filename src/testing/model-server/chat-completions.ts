// Answers in the format of OpenAI chat completions, streamed or not.

import type { JsonObject } from "../../lib/json.ts";
import type { ModelRequest } from "./model-request.ts";
import type { ModelStream } from "./model-stream.ts";
import type { ModelAnswer, ModelError } from "./scenario.ts";

export function openaiError(error: ModelError): JsonObject {
  return { error: { type: error.type, code: error.type, message: error.message, param: null } };
}

export function chatCompletion(answer: ModelAnswer, request: ModelRequest, id: string): JsonObject {
  const calls = toolCalls(answer, id);
  const message = { role: "assistant", content: answer.text ?? null, ...(calls.length > 0 && { tool_calls: calls }) };
  return {
    ...head(answer, request, id),
    object: "chat.completion",
    choices: [{ index: 0, finish_reason: finishReason(answer), message }],
    ...(answer.omitsUsage !== true && { usage: usageOf(answer) }),
  };
}

export async function streamChat(
  answer: ModelAnswer,
  request: ModelRequest,
  id: string,
  stream: ModelStream,
): Promise<void> {
  const base = { ...head(answer, request, id), object: "chat.completion.chunk" };
  const send = (delta: JsonObject, finish: string | null = null): void =>
    stream.send({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] });
  send({ role: "assistant", content: "" });
  if (answer.thinking !== undefined) send({ reasoning_content: answer.thinking });
  if (!(await stream.pieces(answer.text ?? "", (content) => send({ content })))) return;
  for (const [index, call] of toolCalls(answer, id).entries()) {
    send({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: "" } }] });
    send({ tool_calls: [{ index, function: { arguments: call.function.arguments } }] });
  }
  send({}, finishReason(answer));
  if (answer.omitsUsage !== true) stream.send({ ...base, choices: [], usage: usageOf(answer) });
  stream.sendRaw("data: [DONE]\n\n");
  stream.end();
}

function head(answer: ModelAnswer, request: ModelRequest, id: string): JsonObject {
  return { id: `chatcmpl-${id}`, created: 1_700_000_000, model: answer.model ?? request.model };
}

function toolCalls(answer: ModelAnswer, id: string) {
  return (answer.tools ?? []).map((tool, index) => ({
    id: `call_${id}_${index}`,
    type: "function",
    function: { name: tool.name, arguments: JSON.stringify(tool.input) },
  }));
}

const finishOfStop = { max_tokens: "length", refusal: "content_filter" } as const;
const finishReason = ({ stop, tools }: ModelAnswer): string =>
  stop === undefined ? ((tools?.length ?? 0) > 0 ? "tool_calls" : "stop") : finishOfStop[stop];

function usageOf({ usage }: ModelAnswer): JsonObject {
  const [input, output, cached] = [usage?.input ?? 100, usage?.output ?? 25, usage?.cacheRead ?? 0];
  return {
    prompt_tokens: input + cached,
    completion_tokens: output,
    total_tokens: input + cached + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}
