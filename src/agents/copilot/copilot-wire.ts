// The way between the program, which speaks over its standard input and output, and the SDK. Events of sessions are read
// here, on their way: the SDK takes a turn of the event loop for each message, and a piece of text is two of them. It gets
// only those events that it may have to act on.

import { asFields, fieldsIn, textIn, type Fields } from "../fields.ts";
import type { RunningProgram } from "../process/spawn-program.ts";
import { createFrameReader, messageIn } from "./frames.ts";
import { openSdkDoor } from "./sdk-door.ts";
import type { SdkEvent } from "./sdk.ts";

export interface CopilotWire {
  /** Where the SDK finds the program. */
  readonly url: string;
  /** Rejects when the program speaks another language; never resolves. */
  readonly broken: Promise<never>;
  /** Events of a session from here on, until the function is called that comes back. */
  listen(sessionId: string, listener: (event: SdkEvent) => void): () => void;
  /** The SDK will not come. */
  closeDoor(): void;
}

/** They tell what goes on, and ask for nothing that this program has. Others go on to the SDK as well. */
const tellsOnly = /^(?:assistant|hook|model|pending_messages|session|subagent|system|tool|user)\./;

/** It ends with the output of the program. */
export async function openWire(
  { stdin, stdout }: Pick<RunningProgram, "stdin" | "stdout">,
  token: string,
): Promise<CopilotWire> {
  const listeners = new Map<string, (event: SdkEvent) => void>();
  const door = await openSdkDoor(token, (frame) => void stdin.write(frame));

  /** Whether the SDK has to see it too. */
  function read(message: Fields): boolean {
    // Which sessions there are: told to everybody, and asked for by nobody here.
    if (message["method"] === "session.lifecycle") return false;
    if (message["method"] !== "session.event") return true;
    const params = fieldsIn(message, "params");
    const event = params["event"] as SdkEvent | undefined;
    if (typeof event?.type !== "string") return true;
    listeners.get(textIn(params, "sessionId") ?? "")?.(event);
    return !tellsOnly.test(event.type);
  }

  const frames = createFrameReader((frame, bodyAt) => {
    if (read(asFields(messageIn(frame, bodyAt)))) door.send(frame);
  });
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
  // Whoever waits for it gets the error; nobody has to.
  broken.catch(() => {});
  if (stdout.closed) door.hangUp();
  else stdout.once("close", door.hangUp);

  return {
    url: door.url,
    broken,
    listen(sessionId, listener) {
      listeners.set(sessionId, listener);
      return () => {
        if (listeners.get(sessionId) === listener) listeners.delete(sessionId);
      };
    },
    closeDoor: door.close,
  };
}
