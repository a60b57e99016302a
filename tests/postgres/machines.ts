// Machines that share nothing but the database, for tests of the program on PostgreSQL: each has a home, a place for
// temporary files and its own program. Two of them work in one project folder.

import { expect } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PostgresSaver } from "../../src/journal/postgres/postgres-saver.ts";
import { type CliWorld, createCliWorld } from "../cli/cli-world.ts";
import type { Kill } from "../durability/matrix/killing-store.ts";
import { newSchema, schemaUrl } from "./shared-server.ts";

export const stepsWorkflow = `import { askUserNode, createNode, graph } from "atomic/workflows";
export const name = "steps";
export const description = "Two turns around a question";
export const prompt = "none";
export const turn = (id) => createNode({ id, execute: async (ctx) => {
  const result = await ctx.runtime.agents.spawn({ task: id, context: ctx }, ctx.signal);
  if (!result.success) throw new Error(result.error);
  return { stateUpdate: { outputs: { [id]: result.output } } };
} });
export default () => graph().start(turn("one")).then(askUserNode({ id: "ask", question: "Go on?" })).then(turn("two"));
`;

export interface Machine extends CliWorld {
  readonly lines: () => readonly string[];
}

/** A home, a project folder and a separate place for temporary files; only the database is shared. */
export function machine(url: string, project?: string): Machine {
  const world = createCliWorld();
  world.workflow("steps", stepsWorkflow);
  const env = { ATOMIC_STORE: url };
  const cwd = project ?? world.project;
  const log = join(cwd, "log.txt");
  return {
    ...world,
    project: cwd,
    lines: () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : []),
    start: (words, options) => world.start(words, { cwd, ...options, env: { ...env, ...options?.env } }),
    run: (words, options) => world.run(words, { cwd, ...options, env: { ...env, ...options?.env } }),
  };
}

export interface TwoMachines {
  readonly schema: string;
  readonly url: string;
  readonly store: PostgresSaver;
  readonly first: Machine;
  readonly second: Machine;
}

/** `server`: gives the address of a schema; default: on the shared server. */
export async function twoMachines(server: (schema: string) => string = schemaUrl): Promise<TwoMachines> {
  const schema = newSchema();
  const url = server(schema);
  const first = machine(url);
  const prepared = await first.run(["db", "prepare"]);
  expect(prepared.stderr).toBe("");
  return { schema, url, store: new PostgresSaver({ url }), first, second: machine(url, first.project) };
}

export const turn = (name: string, ...more: object[]) => ({
  match: name,
  steps: [{ bash: `echo ${name} >> log.txt` }, ...more, { say: name }],
});

const host = join(import.meta.dir, "killing-host.ts");

/**
 * Runs the command with a process that is killed around its nth write; gives how many writes there were, if it was
 * not.
 */
export async function runKilled(
  machine: Machine,
  url: string,
  kill: Kill,
  words: readonly string[],
): Promise<number | undefined> {
  const writes = join(machine.root, "writes");
  rmSync(writes, { force: true });
  const child = Bun.spawn([process.execPath, "--no-env-file", host, ...words], {
    cwd: machine.project,
    env: { ...machine.env, ATOMIC_STORE: url, MATRIX_KILL: JSON.stringify(kill), MATRIX_WRITES: writes },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  await child.exited;
  return existsSync(writes) ? Number(readFileSync(writes, "utf8")) : undefined;
}
