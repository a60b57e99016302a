// The user's own model service. Copilot takes it from COPILOT_PROVIDER_* variables, but not when it is driven by its
// SDK, where it is a part of every session's configuration. So that a user's variables work here as they do without
// us, they are read and passed on. They come from the environment that the program gets: a project's files can't set
// them.

import { AtomicError } from "../../lib/errors.ts";
import type { Environment } from "../process/child-environment.ts";
import type { CopilotProvider } from "./copilot-protocol.ts";

export interface ModelSettings {
  /** Absent: GitHub's service, with the user's login. */
  readonly provider: CopilotProvider | undefined;
  /** The default model. Absent: the program chooses. */
  readonly model: string | undefined;
}

export function parseModelSettings(env: Environment): ModelSettings {
  const model = set(env["COPILOT_MODEL"]);
  const baseUrl = set(env["COPILOT_PROVIDER_BASE_URL"]);
  if (baseUrl === undefined) return { provider: undefined, model };
  if (set(env["COPILOT_PROVIDER_API_KEY_COMMAND"]) !== undefined)
    throw wrong("COPILOT_PROVIDER_API_KEY_COMMAND is not supported here. Set COPILOT_PROVIDER_API_KEY.");
  const optional: Partial<CopilotProvider> = {
    ...known("type", env["COPILOT_PROVIDER_TYPE"], ["openai", "azure", "anthropic"]),
    ...known("wireApi", env["COPILOT_PROVIDER_WIRE_API"], ["completions", "responses"]),
    ...known("transport", env["COPILOT_PROVIDER_TRANSPORT"], ["http", "websockets"]),
    ...text("apiKey", env["COPILOT_PROVIDER_API_KEY"]),
    ...text("bearerToken", env["COPILOT_PROVIDER_BEARER_TOKEN"]),
    ...text("modelId", env["COPILOT_PROVIDER_MODEL_ID"]),
    ...text("wireModel", env["COPILOT_PROVIDER_WIRE_MODEL"]),
    ...count("maxPromptTokens", env["COPILOT_PROVIDER_MAX_PROMPT_TOKENS"]),
    ...count("maxOutputTokens", env["COPILOT_PROVIDER_MAX_OUTPUT_TOKENS"]),
  };
  const apiVersion = set(env["COPILOT_PROVIDER_AZURE_API_VERSION"]);
  const headers = headersOf(set(env["COPILOT_PROVIDER_HEADERS"]));
  return {
    model,
    provider: {
      baseUrl,
      ...optional,
      ...(apiVersion !== undefined && { azure: { apiVersion } }),
      ...(headers !== undefined && { headers }),
    },
  };
}

function set(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value.trim();
}

function text<Name extends string>(name: Name, value: string | undefined): { [K in Name]?: string } {
  const given = set(value);
  return given === undefined ? {} : ({ [name]: given } as { [K in Name]?: string });
}

function known<Name extends string, const Value extends string>(
  name: Name,
  value: string | undefined,
  values: readonly Value[],
): { [K in Name]?: Value } {
  const given = set(value);
  if (given === undefined) return {};
  const found = values.find((candidate) => candidate === given);
  if (found === undefined) throw wrong(`"${given}" is not one of ${values.join(", ")}. Correct the variable.`);
  return { [name]: found } as { [K in Name]?: Value };
}

function count<Name extends string>(name: Name, value: string | undefined): { [K in Name]?: number } {
  const given = set(value);
  if (given === undefined) return {};
  if (!/^\d+$/.test(given)) throw wrong(`"${given}" is not a number of tokens. Correct the variable.`);
  return { [name]: Number(given) } as { [K in Name]?: number };
}

/** One `Name: value` a line; a literal `\n` separates lines too. */
function headersOf(value: string | undefined): Record<string, string> | undefined {
  if (value === undefined) return undefined;
  const lines = value.split(/\r?\n|\\n/).filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      if (colon < 1) throw wrong("a header has no colon. Write `Name: value`, one a line.");
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

function wrong(problem: string): AtomicError {
  return new AtomicError("AGENT_UNAVAILABLE", `The COPILOT_PROVIDER_… variables can't be used: ${problem}`);
}
