// The workloads as its documentation writes them for Mastra. A step there gets the output of the one before it; what the
// others keep in a state with reducers, its steps merge themselves.

import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import type { WorkEngine, WorkState } from "./workload.ts";
import {
  advance,
  checkLoop,
  checkParallel,
  checkRest,
  checkStream,
  contribute,
  initialWork,
  isDone,
} from "./workload.ts";

const work = z.object({ count: z.number(), total: z.number(), items: z.array(z.number()) });
const contribution = z.object({ items: z.array(z.number()) });

const inputData = { ...initialWork, items: [] };

export const mastra: WorkEngine = {
  chain: (length) => {
    let workflow = createWorkflow({ id: "chain", inputSchema: work, outputSchema: work });
    for (let i = 0; i < length; i++) {
      const step = createStep({
        id: `node-${i}`,
        inputSchema: work,
        outputSchema: work,
        execute: async ({ inputData: state }) => state,
      });
      workflow = workflow.then(step) as never;
    }
    const committed = workflow.commit();
    return async () => checkRest(await resultOf(await committed.createRun()));
  },
  loop: (steps) => {
    const workflow = loopWorkflow(steps);
    return async () => checkLoop(await resultOf(await workflow.createRun()), steps);
  },
  stream: (steps) => {
    const workflow = loopWorkflow(steps);
    return async () => {
      let updates = 0;
      const run = await workflow.createRun();
      for await (const event of run.stream({ inputData }).fullStream)
        if (event.type === "workflow-step-result") updates++;
      checkStream(updates, steps);
    };
  },
  parallel: (branches) => {
    const steps = Array.from({ length: branches }, (_, branch) =>
      createStep({
        id: `branch-${branch}`,
        inputSchema: work,
        outputSchema: contribution,
        execute: async () => contribute(branch),
      }),
    );
    const join = createStep({
      id: "join",
      inputSchema: z.record(z.string(), contribution),
      outputSchema: work,
      execute: async ({ inputData: results }) => ({
        ...inputData,
        items: steps.flatMap((step) => results[step.id]?.items ?? []),
      }),
    });
    const workflow = createWorkflow({ id: "parallel", inputSchema: work, outputSchema: work })
      .parallel(steps as never)
      .then(join as never)
      .commit();
    return async () => checkParallel(await resultOf(await workflow.createRun()), branches);
  },
};

function loopWorkflow(steps: number) {
  const step = createStep({
    id: "advance",
    inputSchema: work,
    outputSchema: work,
    execute: async ({ inputData: state }) => {
      const { count, total } = advance(state);
      return { ...state, count, total: state.total + total };
    },
  });
  return createWorkflow({ id: "loop", inputSchema: work, outputSchema: work })
    .dountil(step, async ({ inputData: state }) => isDone(state, steps))
    .commit();
}

interface MastraRun {
  start(options: { inputData: WorkState }): Promise<{ status: string; result?: unknown; error?: unknown }>;
}

async function resultOf(run: unknown): Promise<WorkState> {
  const ended = await (run as MastraRun).start({ inputData });
  if (ended.status !== "success") throw new Error(`The run ended as ${ended.status}: ${String(ended.error)}`);
  return ended.result as WorkState;
}
