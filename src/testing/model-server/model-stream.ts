// Shared by the three writers: text in pieces, with the pauses, silences and cuts of a scenario.

import type { ServerResponse } from "node:http";
import type { Json } from "../../lib/json.ts";
import type { ModelAnswer } from "./scenario.ts";

export interface ModelStream {
  readonly isClosed: boolean;
  send(event: { readonly [key: string]: Json }, name?: string): void;
  sendRaw(text: string): void;
  /** Calls `write` with each piece of the text. False when the answer ends early: the client left, or it was cut. */
  pieces(text: string, write: (piece: string) => void): Promise<boolean>;
  end(): void;
}

const pieceChars = 12;

export function createModelStream(response: ServerResponse, answer: ModelAnswer): ModelStream {
  let isClosed = false;
  const closed = new Promise<void>((resolve) =>
    response.once("close", () => {
      isClosed = true;
      resolve();
    }),
  );
  let written = 0;
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "request-id": "req_test",
  });

  async function pause(): Promise<boolean> {
    if (answer.hangAfter !== undefined && written >= answer.hangAfter) await closed;
    else if (answer.cutAfter !== undefined && written >= answer.cutAfter) response.destroy();
    else if (answer.pieceDelayMs !== undefined)
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, answer.pieceDelayMs))]);
    return !isClosed && !response.destroyed;
  }

  return {
    get isClosed() {
      return isClosed;
    },
    send(event, name) {
      this.sendRaw(`${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`);
    },
    sendRaw(text) {
      if (!isClosed && !response.destroyed) response.write(text);
    },
    async pieces(text, write) {
      for (const piece of text.match(new RegExp(`[\\s\\S]{1,${pieceChars}}`, "g")) ?? []) {
        write(piece);
        written++;
        if (!(await pause())) return false;
      }
      return true;
    },
    end: () => void response.end(),
  };
}
