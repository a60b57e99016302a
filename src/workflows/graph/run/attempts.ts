// One visit of a node, with everything that can happen to it: what was recorded is returned and not run again;
// attempts, timeouts, backoff that survives a restart, and the failure passed to its handler.

import { AtomicError, type ErrorCode, messageOf } from "../../../lib/errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { copyFlat, toJson } from "../../../lib/json.ts";
import { beginWait, type DurableWait, remainingMs } from "../model/durable-wait.ts";
import type { ErrorRecord } from "../../../events/engine-events.ts";
import type { RunHost } from "./run-host.ts";
import type { ErrorAction, NodeBody, NodeResult, RetryConfig } from "../model/node.ts";
import { NodeContext } from "./node-context.ts";
import type { OpenStep } from "../record/open-steps.ts";
import type { PlanNode } from "../compile/plan.ts";
import type { Runtime } from "../model/runtime.ts";
import { type RunControl, RunStopped } from "./run-control.ts";
import type { Token } from "../schedule/token.ts";
import { isUnrecordable } from "../record/unrecordable.ts";

/** How a visit ended. The run records it, folds it and moves on, without an await in between. */
export type Outcome =
  | {
      readonly kind: "done";
      /** Which attempt it was. */
      readonly attempt: number;
      readonly update: JsonObject | undefined;
      readonly goto: string | undefined;
    }
  | {
      readonly kind: "failed";
      readonly attempt: number;
      readonly error: Error;
      /** What the node's own handler decided; undefined: it has none, or gave up. */
      readonly handled: { readonly update?: JsonObject | undefined; readonly goto?: string | undefined } | undefined;
    };

export async function runAttempts(run: RunHost, token: Token, node: PlanNode, key: string): Promise<Outcome> {
  const { recorder, control } = run;
  const open = recorder.open.get(key);
  for (;;) {
    if (open.retry !== undefined) await waitForRetry(run, open.retry);
    control.throwIfStopped();
    if (token.isDropped || run.isOver) throw new Error(`"${node.id}" has no graph to run in any more`);
    const attempt = open.attempts + 1;
    recorder.open.start(key, attempt);
    if (recorder.isOn) {
      recorder.emit({ type: "node.started", key, node: node.id, visit: token.visit, attempt });
      // A body that only asks stores its start with its question.
      const flushed = node.isAsking ? undefined : run.flush();
      if (flushed !== undefined) await flushed;
    }
    const context = new NodeContext(run, token, node, attempt, open.failures);
    token.running = context;
    try {
      checkKills(node, open);
      const result = await runBody(node, context, run);
      return admitResult(result, node, control.runtime, attempt);
    } catch (thrown) {
      control.pauseIfAsked(thrown);
      if (isFinal(thrown) || control.stopped !== undefined || token.phase === "over") throw thrown;
      const error = asError(thrown);
      open.isRunning = false;
      open.failures++;
      void control.onNodeError?.({ node: node.id, key, attempt, error });
      const decision = await decide(node, error, open, context, control.runtime.clock.now());
      if (decision.action !== "retry") return toOutcome(decision, node, run, open, attempt);
      open.retry = beginWait(decision.at, control.runtime.clock, recorder.now());
      const record = toErrorRecord(error, control.runtime.redact);
      recorder.emit({
        type: "node.failed",
        key,
        node: node.id,
        visit: token.visit,
        attempt,
        error: record,
        retryAt: decision.at,
      });
    } finally {
      NodeContext.end(context);
      token.running = undefined;
    }
  }
}

/** Without a limit, a node that ends its own process would be retried forever. */
function checkKills({ id, definition }: PlanNode, open: OpenStep): void {
  const { retry } = definition;
  if (retry === undefined || open.killed === 0 || open.killed + open.failures < retry.maxAttempts) return;
  throw new AtomicError(
    "NODE_FAILED",
    `Node "${id}" was started ${count(open.killed, "time")} and its process ended before it did. Its maxAttempts is ${retry.maxAttempts}.`,
  );
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Neither a retry nor a handler can do anything about these: the run itself can't continue. */
function isFinal(thrown: unknown): boolean {
  return thrown instanceof RunStopped || isUnrecordable(thrown);
}

function toOutcome(
  decision: Exclude<Decision, { action: "retry" }>,
  node: PlanNode,
  run: RunHost,
  open: OpenStep,
  attempt: number,
): Outcome {
  const error = describeFailure(node.id, decision.error, open.failures, run.control.runtime.redact);
  if (decision.action === "abort") return { kind: "failed", attempt, error, handled: undefined };
  const { update } = admitResult({ stateUpdate: decision.stateUpdate }, node, run.control.runtime, attempt);
  if (decision.action === "skip") return { kind: "failed", attempt, error, handled: { update: update ?? {} } };
  return { kind: "failed", attempt, error, handled: { goto: decision.nodeId, update } };
}

async function waitForRetry(run: RunHost, wait: DurableWait): Promise<void> {
  const { clock } = run.control.runtime;
  const left = remainingMs(wait, clock, run.recorder.now());
  if (left <= 0) return;
  await run.recorder.flush();
  const controller = new AbortController();
  run.control.addAbortable(controller);
  try {
    await clock.sleep(left, controller.signal);
  } finally {
    run.control.removeAbortable(controller);
  }
}

async function runBody(
  node: PlanNode,
  context: NodeContext,
  run: RunHost,
): Promise<NodeResult<Record<string, unknown>> | void> {
  const { execute, timeoutMs } = node.definition;
  if (execute === undefined) return;
  if (timeoutMs === undefined) return runDrained(execute, context);
  const timer = new AbortController();
  const { clock } = run.control.runtime;
  const timeout = clock.sleep(timeoutMs, timer.signal).then(
    () => {
      const error = new AtomicError(
        "NODE_TIMEOUT",
        `Node "${node.id}" took longer than its timeoutMs of ${timeoutMs}. Raise it, or make the node watch ctx.signal.`,
        { retryable: true },
      );
      NodeContext.abort(context, error);
      throw error;
    },
    () => undefined,
  );
  try {
    // The signal is created before the body runs, so that the timeout has something to abort.
    void context.signal;
    return await Promise.race([runDrained(execute, context), timeout as Promise<never>]);
  } finally {
    timer.abort(new Error("in time"));
  }
}

/** A body that throws while its steps still run fails once those have ended. */
async function runDrained(
  execute: NodeBody<Record<string, unknown>>,
  context: NodeContext,
): Promise<NodeResult<Record<string, unknown>> | void> {
  try {
    return await execute(context);
  } catch (thrown) {
    await NodeContext.drain(context, asError(thrown));
    throw thrown;
  }
}

export function admitResult(
  result: NodeResult<Record<string, unknown>> | void,
  node: PlanNode,
  runtime: Runtime,
  attempt: number,
): Extract<Outcome, { kind: "done" }> {
  if (result === undefined) return { kind: "done", attempt, update: undefined, goto: undefined };
  if (typeof result !== "object" || result === null || Array.isArray(result)) {
    throw new AtomicError(
      "NOT_JSON",
      `Node "${node.id}" returned ${typeof result}; a node returns { stateUpdate?, goto? } or nothing.`,
    );
  }
  const { stateUpdate, goto } = result;
  if (goto !== undefined && typeof goto !== "string")
    throw new AtomicError("ROUTE_UNKNOWN", `Node "${node.id}": goto must be the id of a node.`);
  for (const name in result) {
    if (name === "stateUpdate" || name === "goto") continue;
    throw new AtomicError(
      "NOT_JSON",
      `Node "${node.id}" returned a property "${name}"; changes of the state go into { stateUpdate: { … } }.`,
    );
  }
  if (stateUpdate === undefined) return { kind: "done", attempt, update: undefined, goto };
  if (typeof stateUpdate !== "object" || stateUpdate === null || Array.isArray(stateUpdate)) {
    throw new AtomicError("NOT_JSON", `Node "${node.id}": stateUpdate must be an object of state keys.`);
  }
  return { kind: "done", attempt, update: admitUpdate(stateUpdate, node, runtime), goto };
}

function admitUpdate(update: object, { source }: PlanNode, { redact, isStrict = false }: Runtime): JsonObject {
  const flat = isStrict ? undefined : copyFlat(update, redact);
  if (flat !== undefined) return flat;
  return toJson(update, {
    source,
    path: "stateUpdate",
    redact,
    isRecord: true,
    isContainer: !isStrict,
    freezeArrays: isStrict,
  }) as JsonObject;
}

type Decision =
  | { readonly action: "retry"; readonly at: number }
  | { readonly action: "abort"; readonly error: Error }
  | {
      readonly action: "skip";
      readonly error: Error;
      readonly stateUpdate?: NodeResult<Record<string, unknown>>["stateUpdate"];
    }
  | {
      readonly action: "goto";
      readonly error: Error;
      readonly nodeId: string;
      readonly stateUpdate?: NodeResult<Record<string, unknown>>["stateUpdate"];
    };

async function decide(
  node: PlanNode,
  error: Error,
  open: OpenStep,
  context: NodeContext,
  now: number,
): Promise<Decision> {
  const { retry, onError } = node.definition;
  try {
    if (retry !== undefined && open.failures + open.killed < retry.maxAttempts && isWorthRetry(retry, error)) {
      return { action: "retry", at: now + backoffMs(retry, open.failures) };
    }
  } catch (thrown) {
    return { action: "abort", error: alsoFailed(error, `its retryOn threw: ${messageOf(thrown)}`) };
  }
  if (onError === undefined) return { action: "abort", error };
  if (typeof onError === "string") return { action: "goto", error, nodeId: onError };
  let action: ErrorAction<Record<string, unknown>>;
  try {
    action = await onError(error, context);
  } catch (thrown) {
    return { action: "abort", error: alsoFailed(error, `its onError threw: ${messageOf(thrown)}`) };
  }
  switch (action?.action) {
    case "retry": {
      const { delayMs = 0 } = action;
      if (Number.isFinite(delayMs)) return { action: "retry", at: now + delayMs };
      return { action: "abort", error: alsoFailed(error, `its onError returned a delayMs of ${String(delayMs)}`) };
    }
    case "abort":
      return { action: "abort", error: action.error ?? error };
    case "skip":
      return { action: "skip", error, stateUpdate: action.stateUpdate };
    case "goto":
      return { action: "goto", error, nodeId: action.nodeId, stateUpdate: action.stateUpdate };
    default:
      return { action: "abort", error: alsoFailed(error, "its onError returned no action") };
  }
}

function alsoFailed(error: Error, what: string): Error {
  return new Error(`${error.message} (and ${what})`, { cause: error });
}

const authorsMistakes: ReadonlySet<string> = new Set<ErrorCode>(["NOT_JSON", "ROUTE_UNKNOWN", "BUILDER_MISUSE"]);

/** An error that can't go away by itself is not retried, whatever the author's rule says. */
function isWorthRetry(retry: RetryConfig, error: Error): boolean {
  if (AtomicError.is(error) && authorsMistakes.has(error.code)) return false;
  return retry.retryOn === undefined || retry.retryOn(error);
}

function backoffMs(retry: RetryConfig, failures: number): number {
  const { backoffMs: first = 1000, backoffMultiplier = 2, maxBackoffMs = 60_000 } = retry;
  return Math.min(first * backoffMultiplier ** (failures - 1), maxBackoffMs);
}

export function toErrorRecord(error: Error, redact?: (text: string) => string): ErrorRecord {
  const code: unknown = (error as { code?: unknown }).code;
  return {
    message: redact === undefined ? error.message : redact(error.message),
    ...(typeof code === "string" ? { code } : {}),
    ...(error.name === "Error" || error.name === "AtomicError" ? {} : { name: error.name }),
  };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown), { cause: thrown });
}

/** Keeps the code of the error, and names the node. */
function describeFailure(
  node: string,
  error: Error,
  tries: number,
  redact: ((text: string) => string) | undefined,
): AtomicError {
  const after = tries > 1 ? ` after ${tries} tries` : "";
  const isOurs = AtomicError.is(error);
  const says = error.message.includes(`"${node}"`) ? error.message : `Node "${node}" failed${after}: ${error.message}`;
  return new AtomicError(isOurs ? error.code : "NODE_FAILED", redact === undefined ? says : redact(says), {
    cause: error,
    retryable: isOurs && error.retryable,
    details: { ...(isOurs ? error.details : {}), node },
  });
}

/** For an unrecorded visit: one attempt, and no handler. */
export function failedOnce(node: PlanNode, thrown: unknown, control: RunControl): Outcome {
  control.pauseIfAsked(thrown);
  if (thrown instanceof RunStopped) throw thrown;
  const error = asError(thrown);
  const described = describeFailure(node.id, error, 1, control.runtime.redact);
  return { kind: "failed", attempt: 1, error: described, handled: undefined };
}
