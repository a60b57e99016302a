// JSON-RPC with the program over its standard input and output, both ways. Events of sessions go to the listener of the
// session, in the order they arrived; the handler of its method answers a request of the program.

import { messageOf } from "../../lib/errors.ts";
import { asFields, fieldsIn, textIn, type Fields } from "../fields.ts";
import type { RunningProgram } from "../process/spawn-program.ts";
import { createFrameReader, frameOf, messageIn } from "./frames.ts";

/** The program knows more events than anyone has typed: read-event.ts takes them as they come. */
export interface WireEvent {
  type: string;
  agentId?: string | undefined;
  data: unknown;
}

export interface CopilotWire {
  /** Rejects with the program's error, and when its output ends without an answer. */
  request(method: string, params: object): Promise<Fields>;
  /** Events of a session from here on, until the returned function is called. */
  listen(sessionId: string, listener: (event: WireEvent) => void): () => void;
  /** Rejects when the program speaks another protocol; never resolves. */
  readonly broken: Promise<never>;
}

/** What it throws is returned to the program as an error. Undefined: unknown method. */
export type RequestHandler = (method: string, params: Fields) => Promise<object> | undefined;

/** It ends with the output of the program. */
export function openWire(
  { stdin, stdout }: Pick<RunningProgram, "stdin" | "stdout">,
  answerRequest: RequestHandler,
): CopilotWire {
  interface Waiting {
    readonly resolve: (result: Fields) => void;
    readonly reject: (reason: Error) => void;
  }
  const waiting = new Map<number, Waiting>();
  const listeners = new Map<string, Set<(event: WireEvent) => void>>();
  let closed: Error | undefined;
  let lastId = 0;

  const send = (message: object): void => {
    if (closed === undefined) stdin.write(frameOf({ jsonrpc: "2.0", ...message }));
  };

  function read(message: Fields): void {
    const { method, id } = message;
    if (method === "session.event") tell(fieldsIn(message, "params"));
    else if (typeof method !== "string") settle(message);
    else if (id !== undefined) answer(id, method, fieldsIn(message, "params"));
    // Other messages are broadcasts that are not needed here.
  }

  function tell(params: Fields): void {
    const event = params["event"] as WireEvent | undefined;
    if (typeof event?.type !== "string") return;
    for (const listener of listeners.get(textIn(params, "sessionId") ?? "") ?? []) listener(event);
  }

  function settle(message: Fields): void {
    const id = message["id"];
    const request = typeof id === "number" ? waiting.get(id) : undefined;
    if (typeof id === "number") waiting.delete(id);
    if (message["error"] === undefined) request?.resolve(fieldsIn(message, "result"));
    else request?.reject(new Error(textIn(fieldsIn(message, "error"), "message") ?? "it refused, and did not say why"));
  }

  function answer(id: unknown, method: string, params: Fields): void {
    const answering = answerRequest(method, params);
    if (answering === undefined) return send({ id, error: { code: -32601, message: `no method ${method}` } });
    answering.then(
      (result) => send({ id, result }),
      (thrown: unknown) => send({ id, error: { code: -32603, message: messageOf(thrown) } }),
    );
  }

  function close(): void {
    closed ??= new Error("the connection to the program has ended");
    for (const { reject } of waiting.values()) reject(closed);
    waiting.clear();
  }

  const frames = createFrameReader((frame, bodyAt) => read(asFields(messageIn(frame, bodyAt))));
  const broken = new Promise<never>((_, reject) => {
    const push = (bytes: Buffer): void => {
      try {
        frames.push(bytes);
      } catch (thrown) {
        stdout.off("data", push).resume();
        reject(thrown);
      }
    };
    stdout.on("data", push);
  });
  // A caller that awaits it gets the error; no caller has to.
  broken.catch(() => {});
  if (stdout.closed) close();
  else stdout.once("close", close);

  return {
    request(method, params) {
      if (closed !== undefined) return Promise.reject(closed);
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        send({ id, method, params });
      });
    },
    listen(sessionId, listener) {
      const known = listeners.get(sessionId) ?? new Set();
      listeners.set(sessionId, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0 && listeners.get(sessionId) === known) listeners.delete(sessionId);
      };
    },
    broken,
  };
}
