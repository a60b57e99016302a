import { expect, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

const world = createCliWorld();
world.workflow(
  "asks",
  `import { askUserNode, graph } from "atomic/workflows";
export const name = "asks";
export const description = "Asks";
export const prompt = "required";
export default () => graph().start(askUserNode({ id: "sure", question: "Sure?", options: ["yes", "no"] }));
`,
);
const script = world.script("nothing", []);

async function pausedRun(prompt: string): Promise<string> {
  const run = await world.run(["run", "asks", prompt, "--script", script, "--json"]);
  expect(run.exitCode).toBe(4);
  return run.events()[0]?.runId ?? "";
}

test(
  "resume without an id takes the only run; of several it asks at a terminal, and lists them without one",
  async () => {
    const first = await pausedRun("the first");
    const alone = await world.run(["resume", "--json"]);
    expect(alone.events()[0]).toMatchObject({ runId: first, resumed: true });

    const second = await pausedRun("the second");
    const refused = await world.run(["resume", "--answer", "sure=yes"]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("RUN_AMBIGUOUS");
    expect(refused.stderr).toContain("2 runs of this folder can be resumed");
    for (const [id, prompt] of [
      [first, "the first"],
      [second, "the second"],
    ] as const)
      expect(refused.stderr).toMatch(new RegExp(`${id} {2}asks {2}paused \\(needs-human\\), .*ago {2}${prompt}`));
    expect(refused.stderr).toContain(`Name one: atomic resume ${second}`);
    // Nothing has happened to either.
    for (const id of [first, second])
      expect((await world.run(["sessions", "show", id])).stdout).toContain("Status:  paused (needs-human)");

    const cancelled = world.atTerminal(["resume", "--answer", "sure=yes"]);
    await cancelled.seen("Which one?");
    cancelled.type("");
    expect((await cancelled.ended).exitCode).toBe(1);

    const chosen = world.atTerminal(["resume", "--answer", "sure=yes"]);
    await chosen.seen("Which one?");
    // The newest is the first in the list.
    chosen.type("2");
    expect((await chosen.ended).exitCode).toBe(0);
    expect((await world.run(["sessions", "show", first])).stdout).toContain("Status:  completed");

    const last = await world.run(["resume", "--answer", "sure=yes", "--json"]);
    expect(last).toMatchObject({ exitCode: 0 });
    expect(last.events()[0]).toMatchObject({ runId: second });
  },
  patienceMs,
);
