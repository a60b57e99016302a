// One running Copilot program and the SDK's connection to it. The program is started by spawn-program.ts, so that it is
// on record and ends with everything it started.

import { randomBytes } from "node:crypto";
import { parse } from "node:path";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { BackendHost } from "../process/backend-host.ts";
import { spawnProgram, type ProgramLife, type RunningProgram } from "../process/spawn-program.ts";
import { orLate, within } from "../within.ts";
import { copilotEnvironment, requireCopilotVersion } from "./copilot-program.ts";
import { openWire, type CopilotWire } from "./copilot-wire.ts";
import type { CopilotSdk, SdkClient } from "./sdk.ts";

export interface CopilotRuntime extends ProgramLife {
  readonly client: SdkClient;
  /** Events of a session. */
  readonly listen: CopilotWire["listen"];
}

export interface RuntimeOptions {
  readonly host: BackendHost;
  readonly sdk: CopilotSdk;
  readonly path: string;
  readonly isTrusted: boolean;
  /** Ends it while it starts: nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/** Long: the first start of a version unpacks 220 MB. */
const startMs = 90_000;

/** Throws AGENT_UNAVAILABLE. */
export async function startCopilotRuntime(options: RuntimeOptions): Promise<CopilotRuntime> {
  const { host, path, isTrusted, signal } = options;
  const program = await spawnProgram({
    file: path,
    args: ["--headless", "--no-auto-update", "--stdio"],
    // No project's folder: sessions name theirs.
    cwd: parse(path).root,
    env: copilotEnvironment(host, isTrusted),
    name: "copilot",
    registry: host.registry,
    clock: host.clock,
    // The program on PATH may be npm's, which starts the real one and passes no signals on.
    endsAsGroup: true,
  });
  let isStopping = false;
  const end = (): void => void program.stop(1000);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  try {
    const token = randomBytes(32).toString("hex");
    const wire = await openWire(program, token);
    let babble = "";
    wire.broken.catch((thrown: unknown) => {
      babble = `${messageOf(thrown)}\n`;
      // There is no going on with a program that speaks another language.
      end();
    });
    const late = (): Error => new Error(`it did not answer within ${startMs / 1000} s`);
    const client = await orLate(connect(options, program, wire, token), startMs, host.clock, late);
    return {
      client,
      listen: wire.listen,
      get isAlive() {
        return program.isAlive && !isStopping;
      },
      exited: program.exited,
      stderr: () => `${babble}${program.stderr()}`,
      async stop(graceMs) {
        isStopping = true;
        await within(client.stop(), graceMs, host.clock);
        await program.stop(graceMs);
      },
    };
  } catch (thrown) {
    await program.stop(1000);
    throw startFailure(thrown, path, program.stderr());
  } finally {
    signal.removeEventListener("abort", end);
  }
}

async function connect(
  { sdk, path }: RuntimeOptions,
  program: RunningProgram,
  wire: CopilotWire,
  connectionToken: string,
): Promise<SdkClient> {
  const connection = sdk.RuntimeConnection.forUri(wire.url, { connectionToken });
  const client = new sdk.CopilotClient({ connection });
  const greet = async (): Promise<void> => {
    await client.start().catch((thrown: unknown) => {
      wire.closeDoor();
      throw thrown;
    });
    requireCopilotVersion(path, (await client.getStatus()).version);
  };
  // The SDK goes on waiting for the answer of a program that is gone.
  const ended = program.exited.then(({ exitCode, signal }) => {
    throw new Error(`it ended before it answered (${signal ?? `exit code ${exitCode}`}).`);
  });
  await Promise.race([greet(), ended, wire.broken]);
  return client;
}

function startFailure(thrown: unknown, path: string, stderr: string): AtomicError {
  if (AtomicError.is(thrown)) return thrown;
  const said = stderr.trim() === "" ? "" : ` It said on stderr: ${JSON.stringify(stderr.trim().slice(-300))}`;
  return new AtomicError(
    "AGENT_UNAVAILABLE",
    `"${path}" does not work as Copilot: ${messageOf(thrown)}${said} Correct that, or set another path in your settings.`,
    { cause: thrown, details: { path } },
  );
}
