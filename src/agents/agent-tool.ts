// A tool of this program that an agent may call. The backend sees a JSON schema and one function; `defineAgentTool`
// makes it from a zod schema and checks what the model sent before the tool's own code runs.

import { z } from "zod";
import { messageOf } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";

export interface AgentToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Never throws: failures are reported to the model. */
  call(input: unknown, signal: AbortSignal): Promise<AgentToolResult>;
}

export interface AgentToolSpec<Input> {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodType<Input>;
  /** A string goes to the model as it is, anything else as JSON. */
  readonly execute: (input: Input, signal: AbortSignal) => unknown;
}

export function defineAgentTool<Input>(spec: AgentToolSpec<Input>): AgentTool {
  return {
    name: spec.name,
    description: spec.description,
    inputSchema: z.toJSONSchema(spec.parameters, { io: "input" }) as JsonObject,
    async call(input, signal) {
      const parsed = spec.parameters.safeParse(input);
      if (!parsed.success)
        return { text: `Invalid input for ${spec.name}: ${z.prettifyError(parsed.error)}`, isError: true };
      try {
        const output: unknown = await spec.execute(parsed.data, signal);
        return { text: typeof output === "string" ? output : (JSON.stringify(output) ?? ""), isError: false };
      } catch (thrown) {
        return { text: `${spec.name} failed: ${messageOf(thrown)}`, isError: true };
      }
    },
  };
}
