// Which step of a body a call comes from. `ctx.ask` inside a step waits on behalf of that step; `ctx.ask` beside a step
// must not suspend the run while that step still works. Where the runtime can follow asynchronous calls
// (AsyncLocalStorage in Bun, Node and Deno) the answer is exact. Elsewhere it is exact for calls in the synchronous part
// of a step and for calls made together with it, and unknown for the others.

/** One call of `ctx.step` whose body runs. */
export interface StepScope {
  /** The context that the step belongs to. */
  readonly visit: object;
  /** The step around it. */
  readonly parent: StepScope | undefined;
  isRunning: boolean;
  /** Questions and subgraphs that it, or a step inside it, waits for. */
  waits: number;
}

/** `beside`: of no step. `unknown`: perhaps of one that runs. */
export type StepOwner = StepScope | "beside" | "unknown";

/** What this needs of AsyncLocalStorage. */
export interface AsyncContext {
  run<T>(scope: StepScope, body: () => T): T;
  getStore(): StepScope | undefined;
}

let create: (() => AsyncContext) | undefined;
let asyncContext: AsyncContext | undefined;

/** What an entry provides, once it is loaded. */
export function useAsyncContext(make: () => AsyncContext): void {
  create ??= make;
}

/** The scope that the running code belongs to in the synchronous part of a step, for runtimes that can't follow more. */
let current: StepScope | undefined;

export function runInScope<T>(scope: StepScope, body: () => T): T {
  // Made by the first step: following calls costs something, and most graphs have no steps.
  if (create !== undefined) return (asyncContext ??= create()).run(scope, body);
  const outer = current;
  current = scope;
  try {
    return body();
  } finally {
    current = outer;
  }
}

/** The step that the caller is in, of any visit; it may be over. */
export function scopeOfCaller(): StepScope | undefined {
  return asyncContext === undefined ? current : asyncContext.getStore();
}

/** False: a caller that no scope is known of may still be in one. */
export function canFollowCalls(): boolean {
  return create !== undefined;
}
