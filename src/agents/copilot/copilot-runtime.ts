// One running Copilot program and the connection to it. The program is started by spawn-program.ts, so that it is
// on record and ends with everything it started.

import { parse } from "node:path";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { BackendHost } from "../process/backend-host.ts";
import { inSandbox } from "../process/sandbox/in-sandbox.ts";
import { spawnProgram, type ProgramLife, type RunningProgram } from "../process/spawn-program.ts";
import { orLate } from "../within.ts";
import { copilotNeeds } from "./copilot-needs.ts";
import { copilotEnvironment, requireCopilotVersion } from "./copilot-program.ts";
import { connectCopilot, type CopilotConnection } from "./copilot-api.ts";
import type { CopilotApi } from "./copilot-protocol.ts";
import type { CopilotWire } from "./copilot-wire.ts";

export interface CopilotRuntime extends ProgramLife {
  readonly client: CopilotApi;
  /** Events of a session. */
  readonly listen: CopilotWire["listen"];
}

export interface RuntimeOptions {
  readonly host: BackendHost;
  readonly path: string;
  readonly isTrusted: boolean;
  /** A folder that its sessions work in. With a sandbox, all of them work in that one. */
  readonly worksIn: string;
  /** Ends it while it starts: no caller waits for it any more. */
  readonly signal: AbortSignal;
}

/** Long: the first start of a version unpacks 220 MB. */
const startMs = 90_000;

/** Throws AGENT_UNAVAILABLE. */
export async function startCopilotRuntime(options: RuntimeOptions): Promise<CopilotRuntime> {
  const { host, path, isTrusted, signal } = options;
  const env = copilotEnvironment(host, isTrusted);
  const plain = {
    file: path,
    args: ["--headless", "--no-auto-update", "--stdio"],
    // No project's folder: sessions name theirs.
    cwd: parse(path).root,
    env,
    name: "copilot",
    registry: host.registry,
    clock: host.clock,
    // The program on PATH may be npm's, which starts the real one and passes no signals on.
    endsAsGroup: true,
  };
  const program = await spawnProgram(await inSandbox(host.sandbox, plain, options.worksIn, () => copilotNeeds(env)));
  let isStopping = false;
  const end = (): void => void program.stop(1000);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  try {
    const connection = connectCopilot(program, host.newId);
    const { wire } = connection;
    let babble = "";
    wire.broken.catch((thrown: unknown) => {
      babble = `${messageOf(thrown)}\n`;
      // A program that speaks another protocol is of no use.
      end();
    });
    const late = (): Error => new Error(`it did not answer within ${startMs / 1000} s`);
    await orLate(greet(options, program, connection), startMs, host.clock, late);
    return {
      client: connection.api,
      listen: wire.listen,
      get isAlive() {
        return program.isAlive && !isStopping;
      },
      exited: program.exited,
      stderr: () => `${babble}${program.stderr()}`,
      async stop(graceMs) {
        isStopping = true;
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

async function greet(
  { path }: RuntimeOptions,
  program: RunningProgram,
  { api, wire }: CopilotConnection,
): Promise<void> {
  const hello = async (): Promise<void> => {
    await api.connect();
    requireCopilotVersion(path, (await api.getStatus()).version);
  };
  // How it ended says more than that it gave no answer.
  const ended = program.exited.then(({ exitCode, signal }) => {
    throw new Error(`it ended before it answered (${signal ?? `exit code ${exitCode}`}).`);
  });
  const answered = hello().catch(async (thrown: unknown) => {
    if (program.stdout.closed) await ended;
    throw thrown;
  });
  await Promise.race([answered, ended, wire.broken]);
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
