// The building blocks of the graphs of the kill matrix: a state whose keys are all folded differently, and bodies that
// leave a line in the effects file each time they run.

import type { Json } from "../../../src/lib/json.ts";
import type { CompiledGraph } from "../../../src/workflows/graph/compile/compiled-graph.ts";
import { keyPart } from "../../../src/workflows/graph/model/key.ts";
import type { ExecutionContext, NodeDefinition } from "../../../src/workflows/graph/model/node.ts";
import { createNode, type CreateNodeConfig } from "../../../src/workflows/graph/nodes/create-node.ts";
import type { WorkflowResolver } from "../../../src/workflows/graph/model/runtime.ts";
import { annotation, type BaseState, Reducers } from "../../../src/workflows/graph/model/state.ts";
import type { Effects } from "./effects.ts";

export interface MatrixState extends BaseState {
  log: string[];
  total: number;
  seen: Record<string, number>;
  last: string;
}

export const annotations = {
  log: annotation<string[]>([], Reducers.concat),
  total: annotation(0, Reducers.sum),
  seen: annotation<Record<string, number>>({}, Reducers.merge),
  last: annotation(""),
};

export interface MatrixGraph {
  readonly graph: CompiledGraph<MatrixState>;
  /** Answers by the text of the question. */
  readonly answers?: Readonly<Record<string, Json>>;
  readonly workflows?: WorkflowResolver;
  /** It fails before it is completed, and is resumed then. */
  readonly isRetried?: true;
  /** The text of the question at which it is cancelled instead of answered. */
  readonly cancelledAt?: string;
}

export type MakeGraph = (kit: GraphKit) => MatrixGraph;

type Context = ExecutionContext<MatrixState>;
type NodeOptions = Omit<CreateNodeConfig<MatrixState>, "id" | "execute">;

export class GraphKit {
  readonly #effects: Effects;

  constructor(effects: Effects) {
    this.#effects = effects;
  }

  /** A body that ran: on disk before anything else happens. */
  ran(key: string): void {
    this.#effects.add({ key });
  }

  /** A node that records its visit, after yielding to others `turns` times. */
  say(id: string, options: NodeOptions & { readonly turns?: number } = {}): NodeDefinition<MatrixState> {
    const { turns = 1, ...rest } = options;
    return this.node(id, rest, async (context) => {
      await pause(turns);
      return told(context);
    });
  }

  node(
    id: string,
    options: NodeOptions,
    body: (context: Context) => ReturnType<CreateNodeConfig<MatrixState>["execute"]>,
  ): NodeDefinition<MatrixState> {
    return createNode<MatrixState>({
      ...options,
      id,
      execute: (context) => {
        this.ran(context.key);
        return body(context);
      },
    });
  }

  /** A node that fails this often, over all processes, before it succeeds. */
  flaky(id: string, failures: number, options: NodeOptions): NodeDefinition<MatrixState> {
    return this.node(id, options, async (context) => {
      await pause(1);
      const failed = this.#effects.read().filter(({ key, failed }) => failed === true && key === context.key);
      if (failed.length < failures) {
        this.#effects.add({ key: context.key, failed: true });
        throw new Error(`not yet (${id})`);
      }
      return told(context);
    });
  }

  fails(id: string, options: NodeOptions): NodeDefinition<MatrixState> {
    return this.node(id, options, async () => {
      await pause(1);
      throw new Error(`${id} always fails`);
    });
  }

  /** A node that asks while its own steps are running. */
  askBeside(id: string, question: string): NodeDefinition<MatrixState> {
    return this.node(id, {}, async (context) => {
      const work = (name: string, turns: number): Promise<string> =>
        context.step(name, async () => {
          this.ran(`${context.key}:${name}`);
          await pause(turns);
          return name;
        });
      const asked = context.ask(question).then((answer) => JSON.stringify(answer));
      const long = work("short", 1).then(() => work("long", 20));
      return told(context, (await Promise.all([asked, work("other", 5), long])).join("+"));
    });
  }

  /** A node whose work has several parts. */
  inSteps(id: string, parts: readonly string[]): NodeDefinition<MatrixState> {
    return this.node(id, {}, async (context) => {
      await context.attempt.note({ tries: context.attempt.previousNotes.length });
      context.emit("matrix.noted", { parts: parts.length });
      const lengths: number[] = [];
      for (const [place, part] of parts.entries()) {
        // A name that comes again is recorded under a number.
        const use = parts.slice(0, place + 1).filter((other) => other === part).length;
        const length = await context.step(part, async () => {
          this.ran(`${context.key}:${keyPart(part)}${use === 1 ? "" : `#${use}`}`);
          await pause(1);
          return part.length;
        });
        lengths.push(length);
      }
      return told(context, lengths.join("+"));
    });
  }
}

export function told(context: Context, more = ""): { stateUpdate: Partial<MatrixState> } {
  const { node, visit, state } = context;
  const because = context.failure === undefined ? "" : ` because of ${context.failure.node}`;
  return {
    stateUpdate: {
      log: [`${node}#${visit} after ${state.total}${because}${more === "" ? "" : `: ${more}`}`],
      total: 1,
      seen: { [node]: visit },
      last: node,
    },
  };
}

/** Lets whatever else is ready go first. */
export async function pause(turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
}
