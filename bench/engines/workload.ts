// The workloads of every engine: the same node bodies, the same state, the same result. Each result is checked, so that
// no engine can be fast by leaving something out.

export interface WorkState {
  readonly count: number;
  readonly total: number;
  readonly items: readonly number[];
}

export type WorkUpdate = Partial<WorkState>;

export const initialWork: WorkState = { count: 0, total: 0, items: [] };

/** The same four pieces of work, ready to run, as each engine module exports them. */
export interface WorkEngine {
  /** `length` nodes in a row that do nothing. */
  chain(length: number): Work;
  /** One node that is run `steps` times. */
  loop(steps: number): Work;
  /** The same loop, its updates read one by one as they come. */
  stream(steps: number): Work;
  /** `branches` nodes in parallel, their updates appended to one list. */
  parallel(branches: number): Work;
}

export type Work = () => Promise<void>;

/** A node that changes nothing. */
export async function rest(): Promise<undefined> {}

/**
 * What the node of the loop changes: one key is replaced, one is summed. Each engine wraps it in one async function.
 */
export function advance(state: WorkState): { count: number; total: number } {
  return { count: state.count + 1, total: 1 };
}

export function isDone(state: WorkState, steps: number): boolean {
  return state.count >= steps;
}

/** What a branch changes. */
export function contribute(branch: number): { items: number[] } {
  return { items: [branch] };
}

export function checkRest(state: WorkState): void {
  if (state.count !== 0) throw new Error(`A chain of nodes that do nothing ended with a count of ${state.count}.`);
}

export function checkLoop(state: WorkState, steps: number): void {
  if (state.count !== steps || state.total !== steps)
    throw new Error(`A loop of ${steps} steps ended with a count of ${state.count} and a total of ${state.total}.`);
}

export function checkStream(updates: number, steps: number): void {
  if (updates !== steps) throw new Error(`A stream of ${steps} steps gave ${updates} updates.`);
}

export function checkParallel(state: WorkState, branches: number): void {
  const isInOrder = state.items.every((item, place) => item === place);
  if (state.items.length !== branches || !isInOrder)
    throw new Error(`${branches} branches gave a list of ${state.items.length}${isInOrder ? "" : ", out of order"}.`);
}
