// The sandbox from a program that uses the library: an agent in a work tree writes there and nowhere else, its checks
// likewise, and what the project has for our own runtime (bunfig.toml) does not get in the way of a strict one.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createSandbox, createScriptedClient, parseScript } from "../../src/public/agents.ts";
import { type BaseState, createNode, executeWorkflow, graph, subagentNode } from "../../src/public/workflows.ts";
import { createIsolationWorld } from "../cli/isolation-world.ts";
import { canSandbox } from "../support/require-sandbox.ts";

setDefaultTimeout(60_000);
const sandboxed = test.skipIf(!(await canSandbox()));

interface PartState extends BaseState {
  readonly outcome: string;
  readonly exitCodes: readonly (number | null)[];
}

for (const mode of ["worktree", "strict"] as const)
  sandboxed(`a program's own sandbox (${mode}) holds agents and checks in the work tree of their part`, async () => {
    const world = createIsolationWorld();
    world.put("bunfig.toml", 'preload = ["./missing.ts"]\n');
    const outside = join(world.root, "outside");
    mkdirSync(outside);
    const { project: cwd, env: environment } = world;
    const reach = (name: string): string =>
      `for folder in ${outside} ${cwd}; do { echo x > $folder/${name}; } 2>/dev/null && exit 1; done; true`;
    const script = parseScript(
      {
        version: 1,
        turns: [
          {
            steps: [
              { bash: reach("by-agent"), expect: 0 },
              { write: { path: "made.txt", content: "made\n" } },
              { bash: "echo more >> made.txt", expect: 0 },
              { say: "done" },
            ],
          },
        ],
      },
      "of the test",
    );
    const sandbox = await createSandbox({ mode, cwd, environment });
    const client = createScriptedClient({ script, source: "of the test", env: environment, sandbox });
    const agent = subagentNode<PartState>({ id: "agent", agent: "worker", task: "Do it", worktree: "part" });
    const land = createNode<PartState>({
      id: "land",
      execute: async (ctx) => {
        const tree = await ctx.worktree("part");
        const { outcome, checks } = await tree.land({ verify: [reach("by-check"), "grep -q more made.txt"] });
        return { stateUpdate: { outcome, exitCodes: checks.map(({ exitCode }) => exitCode) } };
      },
    });

    const { status, message, state } = await executeWorkflow(
      {
        name: "part",
        description: "Works in a tree",
        createState: ({ sessionId }) => ({ executionId: sessionId, outputs: {}, outcome: "", exitCodes: [] }),
        createWorkflow: () => graph<PartState>().start(agent).then(land).compile(),
      },
      { client, sandbox, cwd, dir: join(world.root, "library"), entities: entities() },
    );
    await client.close();
    await sandbox.close();

    expect(message ?? "").toBe("");
    expect(status).toBe("completed");
    expect([state["outcome"], state["exitCodes"]]).toEqual(["landed", [0, 0]]);
    expect(world.file("made.txt")).toBe("made\nmore\n");
    for (const folder of [outside, cwd])
      for (const name of ["by-agent", "by-check"]) expect(existsSync(join(folder, name))).toBe(false);
  });

function entities() {
  const entity = (name: string) => ({ name, prompt: "" });
  return { skill: entity, command: entity, agent: entity };
}
