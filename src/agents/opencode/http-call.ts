// One call of the server's HTTP interface, with a limit.

import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { turnError, turnFailure } from "../failures.ts";
import { lateMessage } from "../turn-texts.ts";
import { orLate } from "../within.ts";
import { fetchDirectly } from "./direct-fetch.ts";

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
}): HttpCall {
  const headers = { ...server.headers, "content-type": "application/json" };

  return ({ method, path, body, limitMs }) => {
    const stop = new AbortController();
    const what = `${method} ${path.split("?")[0]}`;
    const answer = async (): Promise<HttpAnswer> => {
      try {
        const response = await fetchDirectly(server.url + path, {
          method,
          headers,
          body: body === undefined ? undefined : JSON.stringify(body),
          signal: stop.signal,
        });
        return { status: response.status, text: await response.text() };
      } catch (error) {
        throw turnError(turnFailure("crashed", `The OpenCode server did not answer ${what}: ${messageOf(error)}`));
      }
    };
    return orLate(answer(), limitMs, server.clock, () => {
      stop.abort();
      return turnError(turnFailure("timeout", lateMessage("opencode", what, limitMs)));
    });
  };
}

/** The answer's body, as `parse` reads it. A status of failure is `refused`; what can't be read is `invalid_output`. */
export function readAnswer<T>(
  answer: HttpAnswer,
  parse: (value: unknown) => T | undefined,
  what: string,
): NonNullable<T> {
  requireSuccess(answer, what);
  const parsed = parseJson(answer.text);
  const value = parsed === undefined ? undefined : parse(parsed.value);
  if (value !== undefined && value !== null) return value;
  throw turnError(
    turnFailure(
      "invalid_output",
      `The OpenCode server answered ${what} with something unexpected: ${start(answer.text)}`,
    ),
  );
}

export function requireSuccess({ status, text }: HttpAnswer, what: string): void {
  if (status >= 200 && status <= 299) return;
  const kind = status >= 500 ? "crashed" : "refused";
  throw turnError(
    turnFailure(kind, `The OpenCode server refused ${what} (status ${status}): ${start(text)}`, { status }),
  );
}

function start(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
