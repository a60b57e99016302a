// What the program writes: one message on each line. Those of a turn go from here straight to it. The SDK gets what it
// has to act on for us: requests, answers to its own, and results, which tell it why a program did not start. What else
// it would read it needs only to know when to close the input, which is ours to do; and its way from a line to a message
// costs a multiple of reading the line.

import { Readable } from "node:stream";
import { parseFields } from "../fields.ts";
import { readLines } from "../process/read-lines.ts";
import type { StartedProgram } from "../process/spawn-program.ts";
import type { SpawnedClaude } from "./sdk.ts";

/** What the program and the SDK say to each other. It belongs to no turn, and is no sign of life of one. */
const sdkTypes: ReadonlySet<unknown> = new Set([
  "control_request",
  "control_response",
  "control_cancel_request",
  "keep_alive",
  "transcript_mirror",
]);

/** Reads the messages of `child`, and gives the SDK a process to talk to. */
export function divideOutput(child: StartedProgram["child"], onMessage: (message: unknown) => void): SpawnedClaude {
  const stdout = new Readable({ read: () => {} });
  readLines(child.stdout, (line) => {
    const message = parseFields(line);
    // Programs do print banners and warnings.
    if (message === undefined) return;
    const isForSdk = sdkTypes.has(message["type"]);
    if (isForSdk || message["type"] === "result") stdout.push(`${line}\n`);
    if (!isForSdk && message["sdk_host_only"] !== true) onMessage(message);
  });
  // "close" comes also without "end", when the program is ended by force.
  child.stdout.once("close", () => stdout.push(null));
  return {
    stdin: child.stdin,
    stdout,
    get killed() {
      return child.killed;
    },
    get exitCode() {
      return child.exitCode;
    },
    get signalCode() {
      return child.signalCode;
    },
    kill: (signal) => child.kill(signal),
    on: child.on.bind(child),
    once: child.once.bind(child),
    off: child.off.bind(child),
  };
}
