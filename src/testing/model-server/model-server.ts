// A model on loopback, for real agent programs under test: Anthropic Messages, OpenAI chat completions and Responses.
// It answers by scenario (scenario.ts) and records the requests. It listens on 127.0.0.1 only.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../lib/json.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { anthropicError, anthropicMessage, streamAnthropic } from "./anthropic-messages.ts";
import { chatCompletion, openaiError, streamChat } from "./chat-completions.ts";
import { parseModelRequest, type ModelRequest, type Protocol } from "./model-request.ts";
import { createModelStream } from "./model-stream.ts";
import { responsesMessage, streamResponses } from "./openai-responses.ts";
import { scenarioAnswer, chooseScenario, type Scenarios } from "./scenario.ts";

/** One request, for assertions. */
export interface SeenRequest {
  readonly method: string;
  /** With its query: Claude posts `/v1/messages?beta=true`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  /** Absent if it was not a request to the model. */
  readonly request?: ModelRequest | undefined;
  /** The scenario that answered; absent for titles, probes and the like. */
  readonly scenario?: string | undefined;
  readonly step?: number | undefined;
  /** The client left before the answer was complete. */
  isAborted: boolean;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT`, without `/v1`. */
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Requests that matched no route: something a program needs and this server lacks. */
  readonly unknown: readonly string[];
  close(): Promise<void>;
}

export interface ModelServerOptions {
  readonly scenarios: Scenarios;
  readonly models?: readonly string[] | undefined;
}

const protocols: Readonly<Record<string, Protocol>> = {
  messages: "anthropic",
  "chat/completions": "chat",
  responses: "responses",
};

export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const seen: SeenRequest[] = [];
  const unknown: string[] = [];
  let count = 0;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(incoming);
    const path = incoming.url ?? "/";
    const route = path.split("?")[0] ?? "";
    const protocol = Object.entries(protocols).find(
      ([end]) => incoming.method === "POST" && route.endsWith(`/${end}`),
    )?.[1];
    const request = protocol === undefined ? undefined : parseModelRequest(protocol, body);
    const choice = request === undefined ? undefined : chooseScenario(request);
    const record: SeenRequest = {
      method: incoming.method ?? "",
      path,
      headers: incoming.headers,
      body,
      request,
      scenario: choice?.scenario,
      step: choice?.step,
      isAborted: false,
    };
    seen.push(record);
    response.once("close", () => (record.isAborted = !response.writableEnded));
    if (request !== undefined)
      return answerModel(
        request,
        response,
        scenarioAnswer(options.scenarios, choice, request),
        String(++count).padStart(6, "0"),
      );
    if (incoming.method === "POST" && route.endsWith("/count_tokens"))
      return sendJson(response, 200, { input_tokens: 42 });
    if (incoming.method === "GET" && route.endsWith("/models"))
      return sendJson(response, 200, modelList(options.models ?? ["fake-model"]));
    // Some programs probe the address before the first request.
    if (incoming.method === "HEAD" || (incoming.method === "GET" && route === "/")) return sendJson(response, 200, {});
    unknown.push(`${incoming.method} ${path}`);
    return sendJson(
      response,
      404,
      anthropicError({ status: 404, type: "not_found_error", message: `no route ${path}` }),
    );
  }

  const server = createServer((incoming, response) => {
    // A client may disconnect in the middle of its request.
    serve(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    unknown,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const wires = {
  anthropic: { whole: anthropicMessage, stream: streamAnthropic, error: anthropicError },
  chat: { whole: chatCompletion, stream: streamChat, error: openaiError },
  responses: { whole: responsesMessage, stream: streamResponses, error: openaiError },
} as const;

async function answerModel(
  request: ModelRequest,
  response: ServerResponse,
  answer: ReturnType<typeof scenarioAnswer>,
  id: string,
): Promise<void> {
  const wire = wires[request.protocol];
  if (answer.isSilent === true) return;
  if (answer.error !== undefined)
    return sendJson(response, answer.error.status, wire.error(answer.error), answer.error.headers);
  if (answer.page !== undefined) return void response.writeHead(200, { "content-type": "text/html" }).end(answer.page);
  if (!request.isStreamed) {
    // After a broken stream, programs retry without streaming: the retry must fail in the same way.
    if (answer.cutAfter !== undefined) return void response.destroy();
    if (answer.hangAfter !== undefined) return;
    return sendJson(response, 200, wire.whole(answer, request, id));
  }
  await wire.stream(answer, request, id, createModelStream(response, answer));
}

function modelList(models: readonly string[]): JsonObject {
  const data = models.map((id) => ({
    id,
    object: "model",
    type: "model",
    display_name: id,
    created: 1,
    created_at: "2026-01-01T00:00:00Z",
    owned_by: "test",
  }));
  return { object: "list", data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return parseJson(Buffer.concat(chunks).toString("utf8"))?.value ?? null;
}
