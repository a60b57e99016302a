// What the model server answers. A scenario is a list of answers; a marker in the newest user text picks it, the
// number of assistant messages since then picks the answer. So the server keeps no state, and agents may retry, run
// sub-agents (whose prompts carry their own markers) and resume in other processes.
//
// The marker is `@@name`, or `@@name:/abs/folder` when the scenario writes files.

import type { Json } from "../../lib/json.ts";
import type { ModelRequest } from "./model-request.ts";

export interface ModelToolCall {
  readonly name: string;
  readonly input: { readonly [key: string]: Json };
}

export interface ModelAnswer {
  readonly thinking?: string | undefined;
  readonly text?: string | undefined;
  readonly tools?: readonly ModelToolCall[] | undefined;
  readonly usage?:
    | { readonly input?: number; readonly output?: number; readonly cacheRead?: number; readonly cacheWrite?: number }
    | undefined;
  /** The model that claims to have answered; absent: the one asked for. */
  readonly model?: string | undefined;
  /** Why the answer ends, if it is neither complete nor a tool call. Each protocol has its own name for it. */
  readonly stop?: "max_tokens" | "refusal" | undefined;
  /** Omit the usage, as some gateways do. */
  readonly omitsUsage?: boolean | undefined;
  /** Instead of an answer. */
  readonly error?: ModelError | undefined;
  /** Instead of an answer, with status 200: what a captive portal or a wrong base URL serves. */
  readonly page?: string | undefined;
  /** Send nothing at all, not even headers, until the client leaves. */
  readonly isSilent?: boolean | undefined;
  /** After this many pieces of text: send no more until the client leaves. */
  readonly hangAfter?: number | undefined;
  /** After this many pieces of text: drop the connection. */
  readonly cutAfter?: number | undefined;
  /** Between pieces of text. */
  readonly pieceDelayMs?: number | undefined;
}

export interface ModelError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface ScenarioContext {
  /** The folder of the marker; empty when it has none. */
  readonly folder: string;
  readonly request: ModelRequest;
}

export type Scenario = readonly ModelAnswer[] | ((context: ScenarioContext) => readonly ModelAnswer[]);

export type Scenarios = Readonly<Record<string, Scenario>>;

export interface ScenarioChoice {
  readonly scenario: string;
  readonly step: number;
  readonly folder: string;
}

/** Undefined for requests outside any scenario: titles, probes, summaries. */
export function chooseScenario(request: ModelRequest): ScenarioChoice | undefined {
  if (request.tools.length === 0) return undefined;
  for (let i = request.messages.length - 1; i >= 0; i--) {
    const message = request.messages[i];
    if (message?.role !== "user") continue;
    const marker = [...message.text.matchAll(/@@([a-z][a-z0-9-]*)(?::([^\s"'`<>]+))?/g)].at(-1);
    if (marker?.[1] === undefined) continue;
    const step = request.messages.slice(i + 1).filter(({ role }) => role === "assistant").length;
    return { scenario: marker[1], step, folder: marker[2] ?? "" };
  }
  return undefined;
}

/** The prompt that picks a scenario. */
export function scenarioPrompt(name: string, folder = ""): string {
  return `Please do this: @@${name}${folder === "" ? "" : `:${folder}`}`;
}

export function scenarioAnswer(
  scenarios: Scenarios,
  choice: ScenarioChoice | undefined,
  request: ModelRequest,
): ModelAnswer {
  if (choice === undefined) return { text: "A side answer." };
  const scenario = scenarios[choice.scenario];
  if (scenario === undefined)
    return {
      error: {
        status: 400,
        type: "invalid_request_error",
        message: `the model server has no scenario "${choice.scenario}"`,
      },
    };
  const answers = typeof scenario === "function" ? scenario({ folder: choice.folder, request }) : scenario;
  return answers[Math.min(choice.step, answers.length - 1)] ?? { text: "" };
}
