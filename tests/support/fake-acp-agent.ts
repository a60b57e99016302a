// A program for tests that speaks the Agent Client Protocol as badly as a test asks. Its behaviour is given as
// text: the body of a function that gets `say`, `answer`, `fail` and the message.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the fake does with each request and notification, in JavaScript. It can keep values in `this`. */
export interface FakeAgent {
  /** Before anything is read. */
  readonly atStart?: string;
  /** By method: statements over `params`, `say(update)`, `answer(result)`, `fail(code, message)` and `raw(text)`. */
  readonly on?: Readonly<Record<string, string>>;
}

const defaults: Readonly<Record<string, string>> = {
  initialize: "answer({ protocolVersion: 1, agentCapabilities: {} })",
  "session/new": 'answer({ sessionId: "fake-session" })',
  "session/prompt":
    'say({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hello" } }); answer({ stopReason: "end_turn" })',
};

/** Writes the program into the folder; the command that starts it. */
export function writeFakeAgent(folder: string, { atStart = "", on = {} }: FakeAgent): string {
  const file = join(folder, `fake-agent-${crypto.randomUUID()}.mjs`);
  const cases = Object.entries({ ...defaults, ...on })
    .map(([method, body]) => `case ${JSON.stringify(method)}: { ${body}; break; }`)
    .join("\n");
  writeFileSync(
    file,
    `const memory = {};
const raw = (text) => process.stdout.write(text);
const send = (message) => raw(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const say = (update, sessionId = "fake-session") => send({ method: "session/update", params: { sessionId, update } });
let asked = 0;
const waiting = new Map();
const ask = (method, params) => new Promise((resolve) => { waiting.set(++asked, resolve); send({ id: asked, method, params }); });
${atStart}
async function take({ id, method, params, result }) {
  const answer = (result) => send({ id, result });
  const fail = (code, message, data) => send({ id, error: { code, message, data } });
  if (method === undefined) return waiting.get(id)?.(result);
  switch (method) {
    ${cases}
    default: if (id !== undefined) fail(-32601, "no method " + method);
  }
}
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\\n");
  rest = lines.pop();
  for (const line of lines) take(JSON.parse(line));
});
`,
  );
  return `"${process.execPath}" "${file}"`;
}
