// Limits on how long a run continues on its own: steps, visits of a node, iterations of a loop. Reaching one says
// nothing about the work, so it pauses the run; raise it to resume (docs/decisions/015-limits-of-a-graph.md).

import { AtomicError } from "../../../lib/errors.ts";
import type { CompiledGraph } from "../compile/compiled-graph.ts";
import type { PlanNode } from "../compile/plan.ts";
import { limitReached } from "./limit-reached.ts";
import type { Token } from "./token.ts";

export function stepLimitReached(node: string, maxSteps: number): AtomicError {
  return limitReached(
    "max-steps",
    `The run took ${maxSteps} steps and was about to run "${node}". Most likely a loop has no way out. If the work is really that long, raise \`maxSteps\` (0 = no limit) and resume.`,
    { node, maxSteps },
  );
}

/** What the graphs of one run count together. */
interface SharedCount {
  steps: number;
  readonly maxIterations: number;
  readonly isAtStepLimit: boolean;
  checkSteps(node: string): void;
  readonly recorder: { hasOutcomesIn(path: string): boolean };
}

/** What the walks of one graph check before they continue. */
export class GraphLimits {
  readonly #graph: CompiledGraph<Record<string, unknown>>;
  readonly #control: SharedCount;
  /** Nodes passed since one was run. */
  #passes = 0;

  constructor(graph: CompiledGraph<Record<string, unknown>>, control: SharedCount) {
    this.#graph = graph;
    this.#control = control;
  }

  /** A node is reached that runs, or did. */
  reset(): void {
    this.#passes = 0;
  }

  /** Before a node is run that was not recorded. */
  begin(token: Token, node: PlanNode): void {
    checkLimits(this.#graph, this.#control, token, node);
  }

  /** Before a node is passed that only routes or forks. */
  pass(token: Token, node: PlanNode, tokens: number): void {
    if (node.parallel !== undefined) this.#passParallel(token, node);
    // Without a change in between, conditions give the same result each time: a cycle of them never ends.
    if (++this.#passes < 10_000 || this.#passes < 4 * this.#graph.plan.nodes.length * (tokens + 1)) return;
    throw new AtomicError("NODE_FAILED", `The run goes in a circle through "${node.id}", in which no node runs.`);
  }

  /** Counts as a step, because a cycle of parallel nodes need not come to any other node. */
  #passParallel(token: Token, node: PlanNode): void {
    const control = this.#control;
    // Recorded branches are replayed, whatever the limit is now.
    const isRecorded = (): boolean => control.recorder.hasOutcomesIn(`${token.keyOf(node.keyPart)}/`);
    if (control.isAtStepLimit && !isRecorded()) control.checkSteps(node.id);
    control.steps++;
  }
}

/** Before a node is run that was not recorded. */
export function checkLimits(
  graph: CompiledGraph<Record<string, unknown>>,
  control: Pick<SharedCount, "checkSteps" | "maxIterations">,
  token: Token,
  node: PlanNode,
): void {
  control.checkSteps(node.id);
  checkVisits(graph, token, node, control.maxIterations);
}

/** How often one node may be reached in one branch: the limit of declarative graphs, whose loops are plain edges. */
function checkVisits(
  { config }: CompiledGraph<Record<string, unknown>>,
  token: Token,
  node: PlanNode,
  maxIterations: number,
): void {
  const limit = config.maxVisits ?? (config.hasRunLimit === true ? maxIterations : 0);
  if (limit <= 0 || token.visit <= limit) return;
  const details = { node: node.id, maxIterations: limit };
  const what = `Node "${node.id}" was reached ${limit} times and comes again.`;
  if (config.maxVisits === undefined) {
    const why = "That is the run's limit of iterations.";
    throw limitReached(
      "max-iterations",
      `${what} ${why} Raise it (0 = no limit) and resume, or give the loop a way out.`,
      details,
    );
  }
  const why = `\`maxIterations\` of the graph is ${limit}.`;
  throw limitReached(
    "max-visits",
    `${what} ${why} Raise it in the workflow (0 = no limit) and resume, or give the loop a way out.`,
    details,
  );
}
