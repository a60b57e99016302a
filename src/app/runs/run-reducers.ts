// How the workflow of a run combines updates of its state: its reducers, from the workflow's file as it is now. For readers
// of a record, which holds what nodes wrote and the names of the built-in reducers only.

import { AtomicError } from "../../lib/errors.ts";
import type { AnyReducer } from "../../workflows/graph/model/reduce.ts";
import { graphOf } from "../../workflows/workflow-graph.ts";
import type { RunApp } from "../run-app.ts";

/** Asks for no consent: a file that isn't trusted is not loaded. */
export async function runReducers(
  { runs, openProject }: RunApp,
  id: string,
): Promise<Readonly<Record<string, AnyReducer>>> {
  try {
    const { cwd, workflow, agentKind: agent } = await runs.startFacts(id);
    const project = openProject({ cwd, isTrustedForThisRun: false, agent, onNotice: () => undefined });
    const { annotations = {} } = graphOf(await project.workflow(workflow));
    return Object.fromEntries(
      Object.entries(annotations).flatMap(([key, annotation]) =>
        annotation === undefined ? [] : [[key, annotation.reducer as AnyReducer]],
      ),
    );
  } catch (thrown) {
    // Removed, changed so that it can't be loaded, not trusted.
    if (!AtomicError.is(thrown)) throw thrown;
    return {};
  }
}
