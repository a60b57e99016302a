// One running Copilot program and the SDK's connection to it. The program is started by spawn-program.ts, so that it is
// on record and ends with everything it started; the SDK, which would start it in a way that leaves no pid and writes
// to our terminal, is only told where it listens. It listens on loopback and lets in who knows the token.

import { randomBytes } from "node:crypto";
import { parse } from "node:path";
import type { Readable } from "node:stream";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { BackendHost } from "../process/backend-host.ts";
import { spawnProgram, type ProgramLife, type RunningProgram } from "../process/spawn-program.ts";
import { orLate, within } from "../within.ts";
import { copilotEnvironment, requireCopilotVersion } from "./copilot-program.ts";
import type { CopilotSdk, SdkClient } from "./sdk.ts";

export interface CopilotRuntime extends ProgramLife {
  readonly client: SdkClient;
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
/** More than any banner: a program that says so much without the one line that counts is another program. */
const maxStartChars = 65_536;

/** Throws AGENT_UNAVAILABLE. */
export async function startCopilotRuntime(options: RuntimeOptions): Promise<CopilotRuntime> {
  const { host, path, isTrusted, signal } = options;
  const token = randomBytes(32).toString("hex");
  const program = await spawnProgram({
    file: path,
    args: ["--headless", "--no-auto-update"],
    // No project's folder: sessions name theirs.
    cwd: parse(path).root,
    env: copilotEnvironment(host, { token, isTrusted }),
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
    const late = (): Error =>
      new Error(`it did not say where it listens, or did not answer, within ${startMs / 1000} s`);
    const client = await orLate(connect(options, program, token), startMs, host.clock, late);
    return {
      client,
      get isAlive() {
        return program.isAlive && !isStopping;
      },
      exited: program.exited,
      stderr: program.stderr,
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

async function connect({ sdk, path }: RuntimeOptions, program: RunningProgram, token: string): Promise<SdkClient> {
  const port = await listeningPort(program);
  const connection = sdk.RuntimeConnection.forUri(`127.0.0.1:${port}`, { connectionToken: token });
  const client = new sdk.CopilotClient({ connection });
  const greet = async (): Promise<void> => {
    await client.start();
    requireCopilotVersion(path, (await client.getStatus()).version);
  };
  // The SDK goes on waiting for the answer of a program that is gone.
  const ended = program.exited.then(({ exitCode, signal }) => {
    throw new Error(`it ended before it answered (${signal ?? `exit code ${exitCode}`}).`);
  });
  await Promise.race([greet(), ended]);
  return client;
}

/** What the program says when it is ready. What it says afterwards is read and dropped. */
function listeningPort({ stdout, exited }: RunningProgram): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = "";
    const quote = (): string => (said.trim() === "" ? "" : ` It said: ${JSON.stringify(said.trim().slice(0, 300))}`);
    const read = (text: string): void => {
      if (said.length > maxStartChars) return;
      said += text;
      const port = /listening on port (\d+)/i.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
      else if (said.length > maxStartChars) reject(new Error(`it says something else.${quote()}`));
    };
    readText(stdout, read);
    void exited.then(({ exitCode, signal }) =>
      reject(new Error(`it ended at once (${signal ?? `exit code ${exitCode}`}).${quote()}`)),
    );
  });
}

function readText(stream: Readable, read: (text: string) => void): void {
  stream.setEncoding("utf8").on("data", read);
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
