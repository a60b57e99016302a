// The same turn through Claude's SDK alone, with the options that the backend uses. It ends when the program reports
// that it is idle, as a turn of the port does: the program works on for a while after its result, which would otherwise
// be counted with the next turn.

import { join } from "node:path";
import { createEventQueue } from "../../src/agents/event-queue.ts";
import { claudeEnvironment } from "../../src/agents/claude/claude-program.ts";
import { claudeVariables } from "../../tests/agents/backends/claude.ts";
import { rigHost, type RigPlace } from "../../tests/agents/rig.ts";
import type { BenchAgent } from "./agent.ts";
import { packages } from "./programs.ts";

/** The part of the SDK that is used here, typed by hand. */
interface ClaudeSdk {
  query(params: { prompt: AsyncIterable<ClaudePrompt>; options: object }): AsyncIterable<unknown> & { close(): void };
}

interface ClaudePrompt {
  readonly type: "user";
  readonly uuid: string;
  readonly message: { readonly role: "user"; readonly content: string };
  readonly parent_tool_use_id: null;
}

interface Message {
  readonly type: string;
  readonly is_error?: boolean;
  readonly state?: string;
  readonly event?: { readonly type: string; readonly delta?: { readonly type: string; readonly text?: string } };
}

export async function openAlone(place: RigPlace, cwd: string): Promise<BenchAgent> {
  const host = rigHost(place, claudeVariables(place));
  const name = "@anthropic-ai/claude-agent-sdk";
  const sdk = (await import(Bun.resolveSync(name, packages))) as ClaudeSdk;
  const options = {
    cwd,
    env: claudeEnvironment(host),
    sessionId: crypto.randomUUID(),
    model: "claude-sonnet-5",
    pathToClaudeCodeExecutable: join(packages, `${name}-${process.platform}-${process.arch}/claude`),
    includePartialMessages: true,
    forwardSubagentText: true,
    settingSources: ["user"],
    systemPrompt: { type: "preset", preset: "claude_code" },
    allowDangerouslySkipPermissions: true,
    extraArgs: { "permission-mode": "bypassPermissions" },
    canUseTool: async (_tool: string, updatedInput: object) => ({ behavior: "allow", updatedInput }),
  };
  const prompts = createEventQueue<ClaudePrompt>({ onStart: () => {}, onAbandoned: async () => {} });
  const query = sdk.query({ prompt: prompts.iterable, options });
  const messages = query[Symbol.asyncIterator]();
  return {
    async turn(prompt, onText) {
      prompts.push({
        type: "user",
        uuid: crypto.randomUUID(),
        message: { role: "user", content: prompt },
        parent_tool_use_id: null,
      });
      let hasResult = false;
      for (;;) {
        const { value, done } = await messages.next();
        if (done === true) throw new Error("The program ended.");
        const message = value as Message;
        if (message.type === "stream_event" && message.event?.delta?.type === "text_delta")
          onText(message.event.delta.text ?? "");
        if (message.is_error === true) throw new Error(JSON.stringify(message));
        hasResult ||= message.type === "result";
        if (hasResult && message.state === "idle") return;
      }
    },
    async close() {
      prompts.end();
      query.close();
    },
  };
}
