// One call of the server's HTTP interface. `node:http`, not `fetch`: it goes to loopback whatever proxy is set, and a
// call may take as long as a model needs. No call is without a limit.

import { Agent, request } from "node:http";
import type { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import { turnError, turnFailure } from "../failures.ts";
import { lateMessage } from "../turn-texts.ts";
import { orLate } from "../within.ts";

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

export interface CallOptions {
  readonly method: "GET" | "POST" | "PATCH";
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly limitMs: number;
}

export type HttpCall = (options: CallOptions) => Promise<HttpAnswer>;

export function createHttpCall(server: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
}): { readonly call: HttpCall; readonly close: () => void } {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(server.url);

  function call(options: CallOptions): Promise<HttpAnswer> {
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    const sent = request({
      agent,
      hostname,
      port,
      method: options.method,
      path: options.path,
      headers: { ...server.headers, ...(body !== undefined && { "content-type": "application/json" }) },
    });
    const answered = new Promise<HttpAnswer>((resolve, reject) => {
      sent.on("error", reject);
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
        );
      });
      sent.end(body);
    });
    const what = `${options.method} ${options.path.split("?")[0]}`;
    const named = answered.catch((error: unknown) => {
      throw turnError(turnFailure("crashed", `The OpenCode server did not answer ${what}: ${messageOf(error)}`));
    });
    return orLate(named, options.limitMs, server.clock, () => {
      sent.destroy();
      return turnError(turnFailure("timeout", lateMessage("opencode", what, options.limitMs)));
    });
  }

  return { call, close: () => agent.destroy() };
}

/** The answer's body, as the schema says. Anything but success is `refused`; what can't be read is `invalid_output`. */
export function readAnswer<Schema extends z.ZodType>(
  answer: HttpAnswer,
  schema: Schema,
  what: string,
): z.output<Schema> {
  if (answer.status < 200 || answer.status > 299) throw refusal(answer, what);
  let value: unknown;
  try {
    value = answer.text === "" ? undefined : JSON.parse(answer.text);
  } catch {
    throw unreadable(answer, what);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw unreadable(answer, what);
  return parsed.data;
}

function refusal({ status, text }: HttpAnswer, what: string): Error {
  const kind = status >= 500 ? "crashed" : "refused";
  return turnError(
    turnFailure(kind, `The OpenCode server refused ${what} (status ${status}): ${start(text)}`, { status }),
  );
}

function unreadable({ text }: HttpAnswer, what: string): Error {
  return turnError(
    turnFailure("invalid_output", `The OpenCode server answered ${what} with something unexpected: ${start(text)}`),
  );
}

function start(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
