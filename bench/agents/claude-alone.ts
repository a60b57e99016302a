// The same turn through Claude's SDK alone, with the options that the backend gives it. It ends where the program says
// that it is idle, as a turn of the port does: after its result the program goes on for a while, which would be counted
// with the turn that follows.

import { join } from "node:path";
import { createEventQueue } from "../../src/agents/event-queue.ts";
import { claudeOptions } from "../../src/agents/claude/claude-options.ts";
import { claudeEnvironment } from "../../src/agents/claude/claude-program.ts";
import { loadClaudeSdk, type ClaudePrompt } from "../../src/agents/claude/sdk.ts";
import { claudeVariables } from "../../tests/agents/backends/claude.ts";
import { rigHost, type RigPlace } from "../../tests/agents/rig.ts";
import type { BenchAgent } from "./agent.ts";
import { packages } from "./programs.ts";

interface Message {
  readonly type: string;
  readonly is_error?: boolean;
  readonly state?: string;
  readonly event?: { readonly type: string; readonly delta?: { readonly type: string; readonly text?: string } };
}

export async function openAlone(place: RigPlace, cwd: string): Promise<BenchAgent> {
  const host = rigHost(place, claudeVariables(place));
  const sdk = await loadClaudeSdk(host, cwd);
  const { spawnClaudeCodeProcess: _, ...options } = claudeOptions({
    open: { cwd },
    start: { sessionId: crypto.randomUUID() },
    program: join(packages, `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`),
    env: claudeEnvironment(host),
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
