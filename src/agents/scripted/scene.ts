// What the steps of a script's turn play on: the stage they share with their sub-agents, and the scene of one agent.

import type { Clock } from "../../lib/clock.ts";
import type { Json } from "../../lib/json.ts";
import type { AgentTool } from "../agent-tool.ts";
import type { TurnSink } from "../backend-session.ts";
import type { ToolFinished, ToolKind } from "../events.ts";
import type { TurnFailure } from "../failures.ts";
import type { TurnOptions } from "../port.ts";
import type { Environment } from "../process/child-environment.ts";
import type { ProcessRegistry } from "../process/process-registry.ts";
import type { ProgramSandbox } from "../process/sandbox/program-sandbox.ts";
import type { ShellRule } from "../tool-rules.ts";
import type { Usage } from "../usage.ts";
import type { TurnSelector } from "./select-turn.ts";

export interface Stage {
  readonly sink: TurnSink;
  readonly cwd: string;
  readonly env: Environment;
  readonly registry: ProcessRegistry;
  readonly sandbox?: ProgramSandbox | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly selector: TurnSelector;
  readonly tools: readonly AgentTool[];
  /** The tools of the session's agent; undefined: all. Its sub-agents have no more. */
  readonly allowedTools: readonly string[] | undefined;
  /** What its commands may be; undefined: anything. */
  readonly shellRules: readonly ShellRule[] | undefined;
  readonly task: TurnOptions["task"];
  /** The earlier turns of the session. */
  readonly memory: string;
  /** Where the script came from, for errors. */
  readonly source: string;
  readonly onUsage: (usage: Usage) => void;
}

/** One agent's turn: the session's own, or a sub-agent's. */
export interface Scene {
  readonly stage: Stage;
  readonly agent: string | undefined;
  readonly agentId: string | undefined;
  readonly depth: number;
  readonly messageId: string;
  /** What was answered or printed, by the names the script gave. */
  readonly variables: Map<string, string>;
  text: string;
}

/** What ends a turn before its last step. */
export type TurnEnding = { readonly failure: TurnFailure } | { readonly exitCode: number };

/** Puts answers into text. Only names that the script set: `${HOME}` in a command is the shell's. */
export function fillVariables(scene: Scene, text: string): string {
  return text.replace(/\$\{([A-Za-z_]\w*)\}/g, (whole, name: string) => scene.variables.get(name) ?? whole);
}

export interface OpenTool {
  readonly id: string;
  progress(output: string): void;
  finish(
    outcome: ToolFinished["outcome"],
    output: string,
    facts?: { readonly outputChars?: number; readonly exitCode?: number | undefined },
  ): void;
}

/** Reports a call that the agent's tools don't allow. */
export function refuseTool(scene: Scene, name: string, kind: ToolKind, input: Json): void {
  const allowed = scene.stage.allowedTools?.join(", ") ?? "";
  openTool(scene, name, kind, input).finish(
    "failed",
    `No such tool: this agent has ${allowed === "" ? "none" : allowed}.`,
  );
}

export function openTool(scene: Scene, name: string, kind: ToolKind, input: Json): OpenTool {
  const { sink, newId } = scene.stage;
  const ids = { agentId: scene.agentId, toolCallId: newId() };
  sink.emit({ type: "tool.started", ...ids, name, kind, input });
  return {
    id: ids.toolCallId,
    progress: (output) => sink.emit({ type: "tool.progressed", ...ids, output }),
    finish(outcome, output, { outputChars = output.length, exitCode } = {}) {
      sink.emit({
        type: "tool.finished",
        ...ids,
        name,
        outcome,
        output,
        outputChars,
        ...(exitCode !== undefined && { exitCode }),
      });
    },
  };
}
