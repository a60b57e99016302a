// Answers in the format of OpenAI Responses, streamed or not.

import type { Json, JsonObject } from "../../lib/json.ts";
import type { ModelRequest } from "./model-request.ts";
import type { ModelStream } from "./model-stream.ts";
import type { ModelAnswer } from "./scenario.ts";

export function responsesMessage(answer: ModelAnswer, request: ModelRequest, id: string): JsonObject {
  return envelope(answer, request, id, endStatus(answer), items(answer, id));
}

export async function streamResponses(
  answer: ModelAnswer,
  request: ModelRequest,
  id: string,
  stream: ModelStream,
): Promise<void> {
  let sequence = 0;
  const send = (event: JsonObject & { readonly type: string }): void =>
    stream.send({ ...event, sequence_number: sequence++ }, event.type);
  send({ type: "response.created", response: envelope(answer, request, id, "in_progress", []) });
  const output = items(answer, id);
  for (const [index, item] of output.entries()) {
    const at = { item_id: item.id, output_index: index };
    if (item.type === "message") {
      const part = { type: "output_text", text: "", annotations: [] };
      send({
        type: "response.output_item.added",
        output_index: index,
        item: { ...item, status: "in_progress", content: [] },
      });
      send({ type: "response.content_part.added", ...at, content_index: 0, part });
      if (
        !(await stream.pieces(answer.text ?? "", (delta) =>
          send({ type: "response.output_text.delta", ...at, content_index: 0, delta }),
        ))
      )
        return;
      send({ type: "response.output_text.done", ...at, content_index: 0, text: answer.text ?? "" });
      send({ type: "response.content_part.done", ...at, content_index: 0, part: { ...part, text: answer.text ?? "" } });
    } else {
      send({
        type: "response.output_item.added",
        output_index: index,
        item: { ...item, arguments: "", status: "in_progress" },
      });
      send({ type: "response.function_call_arguments.delta", ...at, delta: item.arguments });
      send({ type: "response.function_call_arguments.done", ...at, arguments: item.arguments });
    }
    send({ type: "response.output_item.done", output_index: index, item });
  }
  const status = endStatus(answer);
  send({ type: `response.${status}`, response: envelope(answer, request, id, status, output) });
  stream.end();
}

type Item =
  | {
      readonly type: "message";
      readonly id: string;
      readonly role: string;
      readonly status: string;
      readonly content: Json;
    }
  | {
      readonly type: "function_call";
      readonly id: string;
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
      readonly status: string;
    };

function items(answer: ModelAnswer, id: string): readonly Item[] {
  const output: Item[] = [];
  const status = "completed";
  if (answer.text !== undefined) {
    const content = [{ type: "output_text", text: answer.text, annotations: [] }];
    output.push({ type: "message", id: `msg_${id}`, role: "assistant", status, content });
  }
  answer.tools?.forEach(({ name, input }, index) => {
    const ids = { id: `fc_${id}_${index}`, call_id: `call_${id}_${index}` };
    output.push({ type: "function_call", ...ids, name, arguments: JSON.stringify(input), status });
  });
  return output;
}

const endStatus = ({ stop }: ModelAnswer): "completed" | "incomplete" =>
  stop === undefined ? "completed" : "incomplete";
const reasonOfStop = { max_tokens: "max_output_tokens", refusal: "content_filter" } as const;

function envelope(
  answer: ModelAnswer,
  request: ModelRequest,
  id: string,
  status: string,
  output: readonly Item[],
): JsonObject {
  const [input, written, cached] = [
    answer.usage?.input ?? 100,
    answer.usage?.output ?? 25,
    answer.usage?.cacheRead ?? 0,
  ];
  const usage = {
    input_tokens: input + cached,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: written,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + cached + written,
  };
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1_700_000_000,
    status,
    model: answer.model ?? request.model,
    output,
    usage: status === "in_progress" || answer.omitsUsage === true ? null : usage,
    error: null,
    incomplete_details:
      status === "incomplete" && answer.stop !== undefined ? { reason: reasonOfStop[answer.stop] } : null,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
  };
}
