// Loads the code that runs graphs, with the first run: most programs that import the engine only build graphs.

import type { AsyncContext } from "./step-scope.ts";

type Runs = Pick<typeof import("./runs.ts"), "runForState" | "runRecorded" | "runWithAgents">;

/** Loads what makes one. */
type AsyncContextLoader = () => Promise<() => AsyncContext>;

let runs: Runs | undefined;
let loadContext: AsyncContextLoader | undefined;

/** Called by an entry for runtimes that have AsyncLocalStorage; the first call counts. The next run loads it. */
export function provideAsyncContext(loader: AsyncContextLoader): void {
  if (loadContext !== undefined) return;
  loadContext = loader;
  runs = undefined;
}

/** At once where everything was loaded before. */
export function withRuns<T>(use: (runs: Runs) => Promise<T>): Promise<T> {
  return runs === undefined ? load().then(use) : use(runs);
}

async function load(): Promise<Runs> {
  const { runForState, runRecorded, runWithAgents, useAsyncContext } = await import("./runs.ts");
  if (loadContext !== undefined) useAsyncContext(await loadContext());
  runs = { runForState, runRecorded, runWithAgents };
  return runs;
}
