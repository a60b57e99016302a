// What tests of the engine share: a state that shows what ran and in which order, and ways to hold nodes still without
// waiting for time to pass.

import type { BaseState, ExecutionContext, NodeDefinition, StoredEvent } from "atomic/workflows/graph";
import { annotation, createNode, Reducers } from "atomic/workflows/graph";

export interface LogState extends BaseState {
  /** Ids of the nodes, in the order their updates were folded. */
  log: string[];
  total: number;
}

export const logAnnotations = {
  log: annotation<string[]>([], Reducers.concat),
  total: annotation(0, Reducers.sum),
};

type Extras = Partial<Omit<NodeDefinition<LogState>, "id" | "type" | "execute">>;

/** A node that adds its id to the log and 1 to the total. */
export function say<const Id extends string>(id: Id, extras: Extras = {}): NodeDefinition<LogState, Id> {
  return sayAfter(id, () => undefined, extras);
}

/** The same, once `before` is done. */
export function sayAfter<const Id extends string>(
  id: Id,
  before: (context: ExecutionContext<LogState>) => unknown,
  extras: Extras = {},
): NodeDefinition<LogState, Id> {
  return createNode<LogState, Id>({
    ...extras,
    id,
    execute: async (context) => {
      await before(context);
      return { stateUpdate: { log: [id], total: 1 } };
    },
  });
}

/** A node that throws. */
export function fail<const Id extends string>(
  id: Id,
  message: string,
  extras: Extras = {},
): NodeDefinition<LogState, Id> {
  return createNode<LogState, Id>({
    ...extras,
    id,
    execute: () => {
      throw new Error(message);
    },
  });
}

export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

/** Something to wait for that the test decides. */
export function createGate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Resolves for all callers once `count` of them are waiting: they were all there at the same time. */
export function createBarrier(count: number): { meet(): Promise<void> } {
  const gate = createGate();
  let here = 0;
  return {
    meet: () => {
      if (++here === count) gate.open();
      return gate.opened;
    },
  };
}

/** Counts how many callers are inside at once. */
export function createMeter(): { readonly most: number; inside<T>(work: () => Promise<T>): Promise<T> } {
  let now = 0;
  let most = 0;
  return {
    get most() {
      return most;
    },
    async inside(work) {
      most = Math.max(most, ++now);
      try {
        return await work();
      } finally {
        now--;
      }
    },
  };
}

/** Lets everything that is ready continue, for a number of turns of the event loop. */
export async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve();
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** `node.finished plan#1`: what happened, in short. */
export function summary(events: readonly StoredEvent[]): string[] {
  return events.map((event) => (typeof event["key"] === "string" ? `${event.type} ${event["key"]}` : event.type));
}
