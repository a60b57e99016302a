// The embedded agent: plays a script instead of asking a model. It needs no key, no network and no other program, and
// says wherever its name is shown that it is not a model.

import { basename } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import { AtomicError } from "../../lib/errors.ts";
import { createBackendClient } from "../backend-client.ts";
import { capabilitiesWithout } from "../capabilities.ts";
import type { BackendSession } from "../backend-session.ts";
import type { AgentClient, OpenOptions } from "../port.ts";
import { backendHost, programEnvironment } from "../process/backend-host.ts";
import type { Environment } from "../process/child-environment.ts";
import type { ProcessRegistry } from "../process/process-registry.ts";
import type { ProgramSandbox } from "../process/sandbox/program-sandbox.ts";
import { shellRules } from "../tool-rules.ts";
import { playTurn } from "./play-turn.ts";
import { createProcessMemory, type ScriptMemory } from "./script-memory.ts";
import type { Script } from "./script-schema.ts";
import { createTurnSelector, type TurnSelector } from "./select-turn.ts";

export interface ScriptedClientOptions {
  readonly script: Script;
  /** Where the script came from, for labels and errors. */
  readonly source?: string | undefined;
  /** The environment of the script's commands. Default: that of this process. */
  readonly env?: Environment | undefined;
  /** Default: the record of processes in `~/.atomic`. */
  readonly registry?: ProcessRegistry | undefined;
  /** What the script's commands are run in. Absent: nothing holds them back. */
  readonly sandbox?: ProgramSandbox | undefined;
  /** Default: one that ends with the process. */
  readonly memory?: ScriptMemory | undefined;
  readonly clock?: Clock | undefined;
  readonly newId?: (() => string) | undefined;
}

export const scriptedCapabilities = capabilitiesWithout({
  toolRules: "its steps know rules for commands only",
  toolServers: "it has none; its steps are all it can do",
  projectTrust: "it reads no settings at all",
});

/** What a script's context is measured against, so that workflows that watch it can be tested. */
const contextTokens = 200_000;

export function createScriptedClient(options: ScriptedClientOptions): AgentClient {
  const { source = "a script", memory = createProcessMemory() } = options;
  const host = backendHost({ registry: options.registry, clock: options.clock, newId: options.newId });
  const { clock, newId, registry } = host;
  const env = options.env ?? programEnvironment(host, {});
  const selector = createTurnSelector(options.script);
  return createBackendClient(
    {
      kind: "scripted",
      label: `scripted (no model; plays ${basename(source)})`,
      capabilities: scriptedCapabilities,
      openSession: async (open) =>
        createScriptedSession({ ...options, source, env, registry, clock, newId, memory, selector, open }),
      models: async () => [{ id: "scripted", name: "Scripted (no model)", contextTokens }],
      check: async () => ({
        kind: "scripted",
        isUsable: true,
        login: "not-needed",
        notes: [`Plays ${source}; no model is asked.`],
      }),
      shutDown: async () => {},
    },
    { clock, newId },
  );
}

interface ScriptedSessionOptions extends ScriptedClientOptions {
  readonly source: string;
  readonly env: Environment;
  readonly registry: ProcessRegistry;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly memory: ScriptMemory;
  readonly selector: TurnSelector;
  readonly open: OpenOptions;
}

function createScriptedSession({ open, ...options }: ScriptedSessionOptions): BackendSession {
  const { memory } = options;
  const id = open.resume ?? options.newId();
  if (open.resume !== undefined && memory.recall(id) === undefined) throw unknownSession(id);
  let usedTokens = 0;
  let playing: Promise<unknown> = Promise.resolve();

  return {
    id,
    model: open.model,
    isSameModel: (asked, served) => asked === served,
    start(prompt, sink, turn) {
      const model = turn.model ?? open.model ?? "scripted";
      const work = async (): Promise<void> => {
        sink.emit({ type: "model.served", model });
        const stage = {
          ...options,
          sink,
          cwd: open.cwd,
          tools: open.tools ?? [],
          allowedTools: open.agent?.tools,
          shellRules: shellRules(open.agent?.toolRules),
          task: turn.task,
          memory: memory.recall(id) ?? "",
          onUsage: (usage: { readonly inputTokens: number; readonly outputTokens: number }) =>
            (usedTokens = usage.inputTokens + usage.outputTokens),
        };
        memory.add(id, prompt);
        const { text, end } = await playTurn(stage, { agent: open.agent?.name, agentId: undefined, depth: 0 }, prompt);
        if (text !== "") memory.add(id, text);
        if (sink.signal.aborted) sink.interrupted({ text });
        else if (end === undefined) sink.complete({ text });
        else if ("failure" in end) sink.fail(end.failure, { text });
        else sink.streamEnded({ exitCode: end.exitCode });
      };
      const played = work();
      playing = played.catch(() => {});
      return played;
    },
    // The turn's own signal stops every step; the steps report the end.
    interrupt: () => {},
    abandon: async () => void (await playing),
    compact: async () => {
      const beforeTokens = usedTokens;
      usedTokens = 0;
      const summary = `What was said so far:\n${memory.recall(id) ?? ""}`;
      return { beforeTokens, afterTokens: 0, summary };
    },
    contextUsage: async () => ({ usedTokens, maxTokens: contextTokens }),
    async close() {
      await playing;
      memory.close(id);
    },
  };
}

function unknownSession(id: string): AtomicError {
  return new AtomicError("AGENT_SESSION_UNKNOWN", `The scripted agent has no session ${id}. Start a new one.`, {
    details: { agent: "scripted", session: id },
  });
}
