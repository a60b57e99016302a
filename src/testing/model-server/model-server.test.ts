import { afterAll, beforeAll, expect, test } from "bun:test";
import { startModelServer, type ModelServer } from "./model-server.ts";

const text = "A text that is longer than one piece.";
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer({
    scenarios: {
      say: [{ thinking: "hm", text, usage: { input: 10, output: 3, cacheRead: 5 } }],
      tool: ({ folder }) => [{ tools: [{ name: "Write", input: { file_path: `${folder}/a.txt` } }] }, { text: "done" }],
      limit: [
        { error: { status: 429, type: "rate_limit_error", message: "slow down", headers: { "retry-after": "7" } } },
      ],
      cut: [{ text, cutAfter: 1 }],
      hang: [{ text, hangAfter: 1 }],
      silent: [{ isSilent: true }],
      other: [{ text, model: "other-model" }],
    },
    models: ["m1", "m2"],
  });
});
afterAll(() => server.close());

const tools = {
  anthropic: [{ name: "Write" }],
  chat: [{ type: "function", function: { name: "Write" } }],
  responses: [{ type: "function", name: "Write" }],
};
const paths = { anthropic: "/v1/messages?beta=true", chat: "/v1/chat/completions", responses: "/v1/responses" };
type Wire = keyof typeof paths;

function post(
  wire: Wire,
  messages: readonly unknown[],
  options: { stream?: boolean; signal?: AbortSignal; isSide?: boolean } = {},
): Promise<Response> {
  const list = wire === "responses" ? { input: messages } : { messages };
  const body = {
    model: "m1",
    stream: options.stream ?? true,
    ...list,
    ...(options.isSide === true ? {} : { tools: tools[wire] }),
  };
  return fetch(server.url + paths[wire], {
    method: "POST",
    body: JSON.stringify(body),
    ...(options.signal && { signal: options.signal }),
  });
}

const user = (content: string): unknown => ({ role: "user", content });

/** The pieces of text in a stream, whichever protocol. */
function pieces(stream: string): string[] {
  return stream
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)))
    .map(
      (event) =>
        event.delta?.text ??
        event.choices?.[0]?.delta?.content ??
        (event.type === "response.output_text.delta" ? event.delta : undefined),
    )
    .filter((piece): piece is string => typeof piece === "string" && piece !== "");
}

for (const wire of ["anthropic", "chat", "responses"] as const) {
  test(`the model server streams text in pieces (${wire})`, async () => {
    const got = pieces(await (await post(wire, [user("@@say")])).text());

    expect(got.length).toBeGreaterThan(2);
    expect(got.join("")).toBe(text);
  });

  test(`the model server picks the step by the assistant messages since the marker (${wire})`, async () => {
    const first = await (
      await post(wire, [user("@@say"), { role: "assistant", content: "x" }, user("now @@tool:/tmp/f")])
    ).text();
    expect(first).toContain("/tmp/f/a.txt");

    const second = await (
      await post(wire, [user("@@tool:/tmp/f"), { role: "assistant", content: "x" }, user("a result")])
    ).text();
    expect(pieces(second).join("")).toBe("done");
  });

  test(`the model server answers in one piece when no stream is requested (${wire})`, async () => {
    expect(JSON.stringify(await (await post(wire, [user("@@say")], { stream: false })).json())).toContain(text);
  });

  test(`the model server fails with status and headers (${wire})`, async () => {
    const response = await post(wire, [user("@@limit")]);

    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(await response.json()).toMatchObject({ error: { type: "rate_limit_error", message: "slow down" } });
  });

  test(`the model server cuts a stream in the middle (${wire})`, async () => {
    const response = await post(wire, [user("@@cut")]);

    await expect(response.text()).rejects.toThrow();
  });

  test(`the model server names the model that claims to have answered (${wire})`, async () => {
    expect(await (await post(wire, [user("@@other")])).text()).toContain('"model":"other-model"');
  });
}

test("the model server hangs and stays silent until the client leaves, and notes that it left", async () => {
  for (const marker of ["@@hang", "@@silent"]) {
    const stop = new AbortController();
    const request = post("anthropic", [user(marker)], { signal: stop.signal }).then((response) => response.text());
    for (let i = 0; i < 200 && server.seen.at(-1)?.scenario !== marker.slice(2); i++) await Bun.sleep(5);
    stop.abort();
    await expect(request).rejects.toThrow();
    for (let i = 0; i < 200 && server.seen.at(-1)?.isAborted !== true; i++) await Bun.sleep(5);
    expect(server.seen.at(-1)).toMatchObject({ scenario: marker.slice(2), isAborted: true });
  }
});

test("the model server answers requests without tools outside any scenario, whatever their text", async () => {
  const response = await post("anthropic", [user("a title for: @@limit")], { isSide: true, stream: false });

  expect(response.status).toBe(200);
  expect(server.seen.at(-1)?.scenario).toBeUndefined();
});

test("the model server lists its models, counts tokens, and records unknown requests", async () => {
  expect(await (await fetch(`${server.url}/v1/models`)).json()).toMatchObject({ data: [{ id: "m1" }, { id: "m2" }] });
  expect(await (await fetch(`${server.url}/v1/messages/count_tokens`, { method: "POST", body: "{}" })).json()).toEqual({
    input_tokens: 42,
  });
  expect((await fetch(`${server.url}/v1/nothing`, { method: "POST", body: "{" })).status).toBe(404);
  expect(server.unknown).toEqual(["POST /v1/nothing"]);
});
