// A session in the program: opened, asked, and answered where it asks for something itself. The program asks in events:
// whether a tool may run, and for the result of a tool of this process.

import { messageOf } from "../../lib/errors.ts";
import { asFields, fieldsIn, textIn } from "../fields.ts";
import type { CallProgram, CopilotSessionApi, SessionConfig } from "./copilot-protocol.ts";
import type { CopilotWire, WireEvent } from "./copilot-wire.ts";

export interface SessionApiOptions {
  readonly wire: CopilotWire;
  readonly call: CallProgram;
  /** `session.create` or `session.resume`. */
  readonly method: string;
  readonly sessionId: string;
  readonly config: SessionConfig;
  /** The session was left. */
  readonly onLeft: () => void;
}

export async function openCopilotSessionApi(options: SessionApiOptions): Promise<CopilotSessionApi> {
  const { wire, call, method, sessionId, config } = options;
  /** Calls of our tools that the program waits for. */
  const running = new Map<string, AbortController>();

  function onEvent({ type, data }: WireEvent): void {
    const fields = asFields(data);
    const requestId = textIn(fields, "requestId") ?? "";
    if (type === "permission.requested") answerPermission(requestId, fieldsIn(fields, "permissionRequest"));
    else if (type === "external_tool.requested")
      void runTool(requestId, textIn(fields, "toolName") ?? "", fields["arguments"]);
    else if (type === "external_tool.completed") stopTool(requestId);
  }

  function answerPermission(requestId: string, request: object): void {
    const result = config.onPermissionRequest(request);
    ask("session.permissions.handlePendingPermissionRequest", { requestId, result }).catch(ignoreGone);
  }

  async function runTool(requestId: string, name: string, input: unknown): Promise<void> {
    const tool = config.tools?.find((each) => each.name === name);
    // The program offers tools of other hosts under its own names; those are theirs to run.
    if (tool === undefined || running.has(requestId)) return;
    const stop = new AbortController();
    running.set(requestId, stop);
    let answer: object;
    try {
      answer = { result: await tool.handler(input, { signal: stop.signal }) };
    } catch (thrown) {
      answer = { error: messageOf(thrown) };
    }
    // Withdrawn, or the session was left: nothing waits for it.
    if (!running.delete(requestId)) return;
    await ask("session.tools.handlePendingToolCall", { requestId, ...answer }).catch(ignoreGone);
  }

  function stopTool(requestId: string): void {
    const stop = running.get(requestId);
    running.delete(requestId);
    stop?.abort();
  }

  const ask: CallProgram = (name, params) => call(name, { sessionId, ...params });
  // The first events may come before the answer does.
  const stopListening = wire.listen(sessionId, onEvent);
  try {
    await ask(method, wireConfig(config));
    // It has no field in the request above.
    await ask("session.options.update", { skipCustomInstructions: config.skipCustomInstructions });
  } catch (thrown) {
    stopListening();
    throw thrown;
  }

  return {
    sessionId,
    send: async ({ prompt }) => (await ask<{ messageId: string }>("session.send", { prompt })).messageId,
    async abort() {
      await ask("session.abort", {});
    },
    async disconnect() {
      stopListening();
      options.onLeft();
      for (const requestId of [...running.keys()]) stopTool(requestId);
      await ask("session.detach", {});
    },
    async setModel(modelId) {
      await ask("session.model.switchTo", { modelId });
    },
    rpc: {
      instructions: { getSources: () => ask("session.instructions.getSources", {}) },
      options: { update: (changes) => ask("session.options.update", changes) },
      metadata: {
        activity: () => ask("session.metadata.activity", {}),
        contextInfo: (request) => ask("session.metadata.contextInfo", request),
      },
      tasks: {
        list: () => ask("session.tasks.list", {}),
        cancel: (request) => ask("session.tasks.cancel", request),
      },
      mcp: {
        list: () => ask("session.mcp.list", {}),
        listTools: (request) => ask("session.mcp.listTools", request),
        enable: (request) => ask("session.mcp.enable", request),
        disable: (request) => ask("session.mcp.disable", request),
      },
      history: { compact: (request) => ask("session.history.compact", request) },
    },
  };
}

/** The configuration as data: what is a function here is announced, and answered when its event comes. */
function wireConfig(config: SessionConfig): object {
  const { onPermissionRequest: _, onUserInputRequest: __, skipCustomInstructions: ___, tools, ...data } = config;
  return {
    ...data,
    ...(tools !== undefined && { tools: tools.map(({ handler: _handler, ...tool }) => tool) }),
    ...(data.excludedTools !== undefined && { toolFilterPrecedence: "excluded" }),
    requestPermission: true,
    requestUserInput: true,
    requestElicitation: false,
    requestExitPlanMode: false,
    requestAutoModeSwitch: false,
    hooks: false,
    includeSubAgentStreamingEvents: true,
    envValueMode: "direct",
  };
}

/** The program has ended, or the turn has: both are reported elsewhere. */
function ignoreGone(): void {}
