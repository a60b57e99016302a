// The same turn through Claude's SDK alone, with the options that the backend gives it.

import { join } from "node:path";
import { createEventQueue } from "../../src/agents/event-queue.ts";
import { claudeOptions } from "../../src/agents/claude/claude-options.ts";
import { loadClaudeSdk, type ClaudePrompt } from "../../src/agents/claude/sdk.ts";
import { claudeVariables } from "../../tests/agents/backends/claude.ts";
import { programEnvironment } from "../../src/agents/process/backend-host.ts";
import { rigHost, type RigPlace } from "../../tests/agents/rig.ts";
import type { BenchAgent } from "./agent.ts";
import { asRoot, packages } from "./programs.ts";

interface Message {
  readonly type: string;
  readonly is_error?: boolean;
  readonly event?: { readonly type: string; readonly delta?: { readonly type: string; readonly text?: string } };
}

export async function openClaudeAlone(place: RigPlace, cwd: string): Promise<BenchAgent> {
  const host = rigHost(place, claudeVariables(place));
  const sdk = await loadClaudeSdk(host, cwd);
  const { spawnClaudeCodeProcess: _, ...options } = claudeOptions({
    open: { cwd },
    start: { sessionId: crypto.randomUUID() },
    program: join(packages, `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`),
    env: programEnvironment(host, asRoot),
    model: "claude-sonnet-5",
    canUseTool: async (_tool, updatedInput) => ({ behavior: "allow", updatedInput }),
    spawn: () => {
      throw new Error("the SDK starts its program itself");
    },
  });
  const prompts = createEventQueue<ClaudePrompt>({ onStart: () => {}, onAbandoned: async () => {} });
  const query = sdk.query({ prompt: prompts.iterable, options: options as Parameters<typeof sdk.query>[0]["options"] });
  const messages = query[Symbol.asyncIterator]();
  return {
    async turn(prompt, onText) {
      prompts.push({
        type: "user",
        uuid: crypto.randomUUID(),
        message: { role: "user", content: prompt },
        parent_tool_use_id: null,
      });
      for (;;) {
        const { value, done } = await messages.next();
        if (done === true) throw new Error("The program ended.");
        const message = value as Message;
        if (message.type === "stream_event" && message.event?.delta?.type === "text_delta")
          onText(message.event.delta.text ?? "");
        if (message.type !== "result") continue;
        if (message.is_error === true) throw new Error(JSON.stringify(message));
        return;
      }
    },
    async close() {
      prompts.end();
      query.close();
    },
  };
}
