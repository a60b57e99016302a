// Tools of this program, offered to Claude: a server of the Model Context Protocol that lives in this process and whose
// messages the SDK carries. (The SDK's own helper takes zod shapes only, and would lose what a schema says beyond them.)

import type { AgentTool } from "../agent-tool.ts";
import { createToolProtocol, toolServerName, type McpMessage } from "../tool-protocol.ts";
import type { ClaudeToolServer, McpTransport } from "./sdk.ts";

export function createToolServer(tools: readonly AgentTool[], toolLimitMs: number): ClaudeToolServer {
  const protocol = createToolProtocol(tools);
  return {
    type: "sdk",
    name: toolServerName,
    timeout: toolLimitMs,
    instance: {
      async connect(transport: McpTransport) {
        const onmessage = (message: McpMessage): void => {
          protocol
            .answer(message)
            .then((reply) => (reply === undefined ? undefined : transport.send(reply)))
            // The program is gone, and with it whoever waited for the reply.
            .catch(() => {});
        };
        Object.assign(transport, { onmessage });
        await transport.start();
      },
    },
  };
}
