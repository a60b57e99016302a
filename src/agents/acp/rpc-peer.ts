// JSON-RPC over the lines of a program's standard input and output, both ways: what the Agent Client Protocol is
// spoken in. Written by hand, because order matters here: an update that came before the answer to a prompt must be
// seen before it. Lines that are not messages are reported to the owner and otherwise ignored; programs do print
// banners and warnings.

import type { Readable, Writable } from "node:stream";
import { messageOf } from "../../lib/errors.ts";
import { asFields, numberIn, parseFields, textIn, type Fields } from "../fields.ts";
import { readLines } from "../process/read-lines.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  /** Of any shape: error-data.ts reads it. */
  readonly data: unknown;
}

/** An answer: what was asked for, or why not. */
export type RpcAnswer = { readonly result: Fields } | { readonly error: RpcError };

export interface RpcPeer {
  /** Rejects only when the connection has ended. */
  request(method: string, params: object): Promise<RpcAnswer>;
  notify(method: string, params: object): void;
  /** Nothing more is read, and what waits for an answer is rejected with this. */
  close(reason: Error): void;
}

export interface RpcPeerOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly onNotification: (method: string, params: Fields) => void;
  /** What it throws is returned to the program as an error. Undefined: unknown method. */
  readonly onRequest: (method: string, params: Fields) => Promise<object> | undefined;
  /** A line that is not a message, or the start of one that is too long. */
  readonly onJunk: (line: string) => void;
}

export function createRpcPeer(options: RpcPeerOptions): RpcPeer {
  interface Waiting {
    readonly resolve: (answer: RpcAnswer) => void;
    readonly reject: (reason: Error) => void;
  }
  const waiting = new Map<number, Waiting>();
  let closed: Error | undefined;
  let lastId = 0;

  function send(message: object): void {
    if (closed === undefined) options.output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  function read(line: string): void {
    if (closed !== undefined || line.trim() === "") return;
    const message = parseFields(line);
    const id = message?.["id"];
    if (message === undefined) options.onJunk(line.slice(0, 1000));
    else if (typeof message["method"] === "string") receive(message["method"], asFields(message["params"]), id);
    else if (typeof id === "number") settle(id, message);
  }

  function receive(method: string, params: Fields, id: unknown): void {
    if (id === undefined) return options.onNotification(method, params);
    const answer = options.onRequest(method, params);
    if (answer === undefined) return send({ id, error: { code: -32601, message: `no method ${method}` } });
    answer.then(
      (result) => send({ id, result }),
      (thrown: unknown) => send({ id, error: { code: -32603, message: messageOf(thrown) } }),
    );
  }

  function settle(id: number, message: Fields): void {
    const request = waiting.get(id);
    waiting.delete(id);
    const error = message["error"] === undefined ? undefined : asFields(message["error"]);
    if (error === undefined) return request?.resolve({ result: asFields(message["result"]) });
    request?.resolve({
      error: {
        code: numberIn(error, "code") ?? 0,
        message: textIn(error, "message") ?? "",
        data: error["data"],
      },
    });
  }

  readLines(options.input, read);

  return {
    request(method, params) {
      if (closed !== undefined) return Promise.reject(closed);
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        send({ id, method, params });
      });
    },
    notify: (method, params) => send({ method, params }),
    close(reason) {
      closed ??= reason;
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}
