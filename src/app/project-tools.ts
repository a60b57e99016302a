// The tools of a project and of the user (`.atomic/tools/*.ts`), for nodes by name and for agents that take them. One
// that may not run, or can't, is left out with a notice; a request by name gets the reason.

import type { ZodType } from "zod";
import type { AgentTool } from "../agents/agent-tool.ts";
import type { ToolEntry } from "../catalog/catalog.ts";
import type { LoadedTool } from "../catalog/load/interpret-tool.ts";
import { notFoundText } from "../lib/not-found-text.ts";
import { AtomicError, messageOf } from "../lib/errors.ts";
import type { ToolSource } from "../workflows/graph/model/runtime.ts";

export interface ProjectTools {
  readonly tools: ToolSource;
  readonly agentTools: readonly AgentTool[];
}

export async function loadProjectTools(
  entries: readonly ToolEntry[],
  load: (entry: ToolEntry) => Promise<LoadedTool>,
  onNotice: (text: string) => void,
): Promise<ProjectTools> {
  const loaded = new Map<string, LoadedTool>();
  const refused = new Map<string, unknown>();
  for (const entry of entries) {
    try {
      loaded.set(entry.info.name, await load(entry));
    } catch (thrown) {
      refused.set(entry.info.name, thrown);
      onNotice(`The tool ${entry.info.name} was left out. ${messageOf(thrown)}`);
    }
  }
  return {
    agentTools: loaded.size === 0 ? [] : await describeTools([...loaded.values()], onNotice),
    tools: {
      tool(name) {
        const tool = loaded.get(name);
        if (tool !== undefined) return tool;
        const why = refused.get(name);
        if (why !== undefined) throw why as Error;
        throw new AtomicError("ENTITY_NOT_FOUND", notFoundText("Tool", name, loaded.keys()), {
          details: { type: "tool", name },
        });
      },
    },
  };
}

/** Loads what describes a tool to an agent: a run without tools needs none of it. */
async function describeTools(
  tools: readonly LoadedTool[],
  onNotice: (text: string) => void,
): Promise<readonly AgentTool[]> {
  const { z } = await import("zod");
  const { defineAgentTool } = await import("../agents/agent-tool.ts");
  return tools.flatMap((tool) => {
    const { name, description, parameters } = tool;
    try {
      return [
        defineAgentTool({
          name,
          description,
          // The loader has seen that it parses; only a schema of zod can also be described to an agent.
          parameters: (parameters ?? z.record(z.string(), z.unknown())) as ZodType,
          execute: (input, signal) => tool.execute(input, { signal }),
        }),
      ];
    } catch (thrown) {
      onNotice(`The tool ${name} is not offered to agents: its parameters can't be described. ${messageOf(thrown)}`);
      return [];
    }
  });
}
