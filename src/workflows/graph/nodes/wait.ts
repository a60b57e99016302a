// Nodes that wait for a user. The run suspends there when nothing else is left to do; the answer lands in
// `outputs[id]` unless a mapper says otherwise.

import { AtomicError } from "../../../lib/errors.ts";
import type { Json } from "../../../lib/json.ts";
import { markAsking } from "../model/asking-body.ts";
import type { ExecutionContext, NodeDefinition, NodeResult } from "../model/node.ts";
import type { Question } from "../model/question.ts";
import type { ReturnedUpdate } from "../model/state.ts";
import type { CommonNodeOptions } from "./node-id.ts";
import { commonOf, withId } from "./node-id.ts";
import { intoOutputs } from "./tool.ts";

export interface WaitNodeConfig<S, Id extends string = string> extends CommonNodeOptions<S> {
  readonly id: Id;
  readonly prompt: string | ((state: Readonly<S>) => string);
  /** The answer where questions are declined. */
  readonly default?: Json | undefined;
  readonly outputMapper?: ((answer: Json, state: Readonly<S>) => ReturnedUpdate<S>) | undefined;
}

export function waitNode<S extends object, const Id extends string = string>(
  config: WaitNodeConfig<S, Id>,
): NodeDefinition<S, Id>;
export function waitNode<S extends object, const Id extends string = string>(
  id: Id,
  options: Omit<WaitNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id>;
export function waitNode<S extends object, const Id extends string = string>(
  first: WaitNodeConfig<S, Id> | Id,
  options?: Omit<WaitNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id> {
  const config = withId<WaitNodeConfig<S, Id>>("waitNode", first, options);
  const { id, prompt, outputMapper } = config;
  if (typeof prompt !== "string" && typeof prompt !== "function")
    throw new AtomicError("BUILDER_MISUSE", `waitNode "${id}": needs a \`prompt\`.`);
  return {
    ...commonOf(config),
    id,
    type: "wait",
    execute: markAsking((context: ExecutionContext<S>) => {
      const text = typeof prompt === "string" ? prompt : prompt(context.state);
      return askInto(
        context,
        { text, ...(config.default === undefined ? {} : { default: config.default }) },
        outputMapper,
      );
    }),
  };
}

export function createWaitNode<S extends object, const Id extends string = string>(
  id: Id,
  prompt: WaitNodeConfig<S>["prompt"],
): NodeDefinition<S, Id> {
  return waitNode<S, Id>({ id, prompt });
}

export interface AskUserNodeConfig<S, Id extends string = string> extends CommonNodeOptions<S> {
  readonly id: Id;
  readonly question: string | ((state: Readonly<S>) => string);
  readonly header?: string | undefined;
  readonly options?: Question["options"];
  readonly multiSelect?: boolean | undefined;
  readonly freeText?: boolean | undefined;
  readonly default?: Json | undefined;
  readonly outputMapper?: ((answer: Json, state: Readonly<S>) => ReturnedUpdate<S>) | undefined;
}

export function askUserNode<S extends object, const Id extends string = string>(
  config: AskUserNodeConfig<S, Id>,
): NodeDefinition<S, Id>;
export function askUserNode<S extends object, const Id extends string = string>(
  id: Id,
  options: Omit<AskUserNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id>;
export function askUserNode<S extends object, const Id extends string = string>(
  first: AskUserNodeConfig<S, Id> | Id,
  options?: Omit<AskUserNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id> {
  const config = withId<AskUserNodeConfig<S, Id>>("askUserNode", first, options);
  const { id, question, header, multiSelect, freeText, outputMapper } = config;
  if (typeof question !== "string" && typeof question !== "function")
    throw new AtomicError("BUILDER_MISUSE", `askUserNode "${id}": needs a \`question\`.`);
  return {
    ...commonOf(config),
    id,
    type: "ask_user",
    execute: markAsking((context: ExecutionContext<S>) => {
      const text = typeof question === "string" ? question : question(context.state);
      return askInto(
        context,
        { text, header, multiSelect, freeText, options: config.options, default: config.default },
        outputMapper,
      );
    }),
  };
}

async function askInto<S extends object>(
  context: ExecutionContext<S>,
  question: Question,
  mapper: ((answer: Json, state: Readonly<S>) => ReturnedUpdate<S>) | undefined,
): Promise<NodeResult<S>> {
  const answer = await context.ask(question);
  return { stateUpdate: mapper === undefined ? intoOutputs<S>(context.node, answer) : mapper(answer, context.state) };
}
