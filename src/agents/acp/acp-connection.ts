// One running ACP agent: its program, started on record, and the conversation with it over its standard input and
// output. It is ready when it has answered `initialize`.

import { numberIn, type Fields } from "../fields.ts";
import { programEnvironment, type BackendHost } from "../process/backend-host.ts";
import { inSandbox } from "../process/sandbox/in-sandbox.ts";
import type { ProgramNeeds } from "../process/sandbox/program-sandbox.ts";
import { spawnProgram, type ProgramExit, type ProgramLife } from "../process/spawn-program.ts";
import { orLate } from "../within.ts";
import { brokenAgent } from "./acp-failures.ts";
import { acpNeeds } from "./acp-needs.ts";
import { rpcErrorText } from "./error-data.ts";
import { createRpcPeer, type RpcPeer } from "./rpc-peer.ts";

export interface AcpConnection extends ProgramLife {
  readonly peer: RpcPeer;
  /** The answer to `initialize`. */
  readonly agent: Fields;
}

export interface ConnectionOptions {
  readonly host: BackendHost;
  /** `acp:<command>`, for records and errors. */
  readonly kind: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly onNotification: (method: string, params: Fields) => void;
  readonly onRequest: (method: string, params: Fields) => Promise<object> | undefined;
  /** Ports of this process that the agent has to reach. */
  readonly reaches?: readonly number[] | undefined;
  /** The program talks nonsense and nothing else. */
  readonly onNonsense: (sample: string) => void;
  /** Ends the program, whatever it is doing: no caller waits for it any more. */
  readonly signal: AbortSignal;
}

const protocolVersion = 1;
const startMs = 60_000;
/** Consecutive lines that are not messages. A banner has a few; a program that speaks another protocol never stops. */
const maxJunkLines = 200;

/** Throws AGENT_UNAVAILABLE. */
export async function startAcpConnection(options: ConnectionOptions): Promise<AcpConnection> {
  const { host } = options;
  const env = programEnvironment(host, {});
  const plain = {
    file: options.file,
    args: options.args,
    cwd: options.cwd,
    env,
    name: options.kind,
    registry: host.registry,
    clock: host.clock,
  };
  const needs = (): ProgramNeeds => ({ ...acpNeeds(options.kind, env), reaches: options.reaches });
  const program = await spawnProgram(await inSandbox(host.sandbox, plain, options.cwd, needs));
  let isReady = false;
  let junkLines = 0;
  let junk = "";
  const gone = (how: ProgramExit): Error => new Error(`it ended (${how.signal ?? `exit code ${how.exitCode}`})`);
  const peer = createRpcPeer({
    input: program.stdout,
    output: program.stdin,
    onNotification(method, params) {
      junkLines = 0;
      options.onNotification(method, params);
    },
    onRequest(method, params) {
      junkLines = 0;
      return options.onRequest(method, params);
    },
    onJunk(line) {
      junk ||= line;
      if (++junkLines !== maxJunkLines) return;
      if (isReady) options.onNonsense(junk);
      else peer.close(new Error("it prints something that is not the Agent Client Protocol"));
    },
  });
  const end = (): void => void program.stop(1000);
  options.signal.addEventListener("abort", end);
  void program.exited.then((exit) => {
    options.signal.removeEventListener("abort", end);
    peer.close(gone(exit));
  });
  if (options.signal.aborted) end();
  try {
    const late = (): Error => new Error(`it did not answer within ${startMs / 1000} s`);
    const agent = await orLate(initialize(peer), startMs, host.clock, late);
    isReady = true;
    return {
      peer,
      agent,
      get isAlive() {
        return program.isAlive;
      },
      exited: program.exited,
      stderr: program.stderr,
      async stop(graceMs) {
        await program.stop(graceMs);
        peer.close(new Error("it was ended"));
      },
    };
  } catch (thrown) {
    await program.stop(1000);
    throw brokenAgent(thrown, options, [junk, program.stderr()]);
  }
}

async function initialize(peer: RpcPeer): Promise<Fields> {
  const answer = await peer.request("initialize", {
    protocolVersion,
    clientInfo: { name: "atomic", title: "Atomic", version: "1" },
    clientCapabilities: {
      // The agent uses its own hands: files and commands are not ours to offer.
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {} },
      // A draft: agents that know it report their sub-agents.
      subagents: {},
    },
  });
  if ("error" in answer) throw new Error(`it refused to start a conversation: ${rpcErrorText(answer.error)}`);
  const version = numberIn(answer.result, "protocolVersion");
  if (version !== protocolVersion)
    throw new Error(`it speaks version ${version ?? "unknown"} of the protocol, and ${protocolVersion} is needed`);
  return answer.result;
}
