// Plays a turn of a script, step by step, and the turns of its sub-agents.

import { turnFailure } from "../failures.ts";
import { describeRequest } from "../turn-request.ts";
import { noUsage } from "../usage.ts";
import { playBash, playTool, playWrite } from "./effect-steps.ts";
import { isStepAllowed } from "./allowed-steps.ts";
import { fillVariables, openTool, refuseTool, type TurnEnding, type Scene, type Stage } from "./scene.ts";
import type { ScriptStep } from "./script-schema.ts";

/** No `end`: every step was played. */
export interface PlayedOutcome {
  readonly text: string;
  readonly end: TurnEnding | undefined;
}

const maxDepth = 8;
const pieceChars = 16;
/** A very long text comes in longer pieces: all of them wait in one queue. */
const maxPieces = 10_000;

export async function playTurn(
  stage: Stage,
  role: Pick<Scene, "agent" | "agentId" | "depth">,
  prompt: string,
): Promise<PlayedOutcome> {
  const request = { agent: role.agent, task: stage.task, prompt };
  // A sub-agent starts with its prompt alone.
  const found = stage.selector.select(request, role.depth === 0 ? stage.memory : "");
  if (found === undefined) {
    return {
      text: "",
      end: {
        failure: turnFailure("refused", `The script ${stage.source} has no turn left for ${describeRequest(request)}.`),
      },
    };
  }
  const scene: Scene = { stage, ...role, messageId: stage.newId(), variables: new Map(), text: "" };
  for (const [index, step] of found.turn.steps.entries()) {
    if (stage.sink.signal.aborted) break;
    const end = await playStep(scene, step, `turns[${found.index}].steps[${index}] of ${stage.source}`);
    if (end !== undefined) return { text: scene.text, end };
  }
  const { text, agentId, messageId } = scene;
  if (text !== "") stage.sink.emit({ type: "message.finished", agentId, messageId, text });
  return { text, end: undefined };
}

async function playStep(scene: Scene, step: ScriptStep, location: string): Promise<TurnEnding | undefined> {
  if ("write" in step) return playWrite(scene, step, location);
  if ("bash" in step) return playBash(scene, step, location);
  if ("tool" in step) return playTool(scene, step, location);
  if ("subagent" in step) return playSubagents(scene, step, location);
  if ("fail" in step) return failing(scene, step);
  if ("crash" in step) return { exitCode: step.crash };
  if ("ask" in step) await playAsk(scene, step);
  else await playQuietly(scene, step);
  return undefined;
}

/** The steps that can't go wrong. */
async function playQuietly(scene: Scene, step: Exclude<ScriptStep, Record<"ask" | "fail", unknown>>): Promise<void> {
  const { stage, agentId } = scene;
  if ("think" in step) stream(scene, "reasoning.delta", fillVariables(scene, step.think));
  if ("say" in step) {
    const text = fillVariables(scene, step.say);
    scene.text += text;
    stream(scene, "text.delta", text);
  }
  if ("usage" in step) {
    const usage = { ...noUsage, ...step.usage };
    stage.onUsage(usage);
    stage.sink.emit({ type: "usage.reported", agentId, usage });
  }
  if ("model" in step) stage.sink.emit({ type: "model.served", agentId, model: step.model });
  if ("waitMs" in step) await stage.clock.sleep(step.waitMs, stage.sink.signal).catch(() => {});
  if ("hang" in step) await aborted(stage.sink.signal);
}

function stream({ stage, agentId, messageId }: Scene, type: "text.delta" | "reasoning.delta", text: string): void {
  const length = Math.max(pieceChars, Math.ceil(text.length / maxPieces));
  for (let at = 0; at < text.length; at += length) {
    stage.sink.emit({ type, agentId, messageId, text: text.slice(at, at + length) });
  }
}

async function playAsk(scene: Scene, step: Extract<ScriptStep, { ask: unknown }>): Promise<void> {
  const { question, options = [], freeText = true } = step.ask;
  const item = {
    text: fillVariables(scene, question),
    options: options.map((label) => ({ label })),
    isMultiple: false,
    isFreeText: freeText || options.length === 0,
  };
  const reply = await scene.stage.sink.ask({ agentId: scene.agentId, items: [item] });
  if (step.as !== undefined)
    scene.variables.set(step.as, reply.type === "answered" ? reply.answers.flat().join(", ") : "");
}

function failing({ stage }: Scene, { fail }: Extract<ScriptStep, { fail: unknown }>): TurnEnding {
  const { kind, message = `The script says: ${kind}.`, resetInMs, retryable } = fail;
  const resetAt = resetInMs === undefined ? {} : { resetAt: stage.clock.now() + resetInMs };
  return { failure: turnFailure(kind, message, { ...resetAt, ...(retryable !== undefined && { retryable }) }) };
}

async function playSubagents(
  scene: Scene,
  { subagent }: Extract<ScriptStep, { subagent: unknown }>,
  location: string,
): Promise<TurnEnding | undefined> {
  if (scene.depth >= maxDepth)
    return { failure: turnFailure("refused", `${location}: sub-agents start sub-agents more than ${maxDepth} deep.`) };
  const list = Array.isArray(subagent) ? subagent : [subagent];
  if (!isStepAllowed("subagent", scene.stage.allowedTools)) {
    for (const { agent, prompt } of list) refuseTool(scene, "subagent", "subagent", { agent, prompt });
    return undefined;
  }
  const endings = await Promise.all(
    list.map(({ agent, prompt }) => playSubagent(scene, agent, fillVariables(scene, prompt))),
  );
  return endings.find((ending) => ending !== undefined);
}

async function playSubagent(scene: Scene, agent: string, prompt: string): Promise<TurnEnding | undefined> {
  const { stage } = scene;
  const agentId = stage.newId();
  const tool = openTool(scene, "subagent", "subagent", { agent, prompt });
  stage.sink.emit({
    type: "subagent.started",
    agentId,
    parentId: scene.agentId,
    name: agent,
    task: prompt,
    toolCallId: tool.id,
    isBackground: false,
  });
  const { text, end } = await playTurn(stage, { agent, agentId, depth: scene.depth + 1 }, prompt);
  const outcome = stage.sink.signal.aborted ? "interrupted" : end === undefined ? "completed" : "failed";
  stage.sink.emit({ type: "subagent.finished", agentId, outcome, text });
  tool.finish(outcome === "completed" ? "ok" : outcome, text);
  // A sub-agent's failure is its parent's to live with; a mistake in the script, or a crash, ends the whole turn.
  const isItsOwn = end !== undefined && "failure" in end && end.failure.kind !== "refused";
  return isItsOwn ? undefined : end;
}

/** What a step that hangs waits for. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
