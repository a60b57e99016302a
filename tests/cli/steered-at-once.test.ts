// Several processes that resume, cancel and fork the same run at the same time: one owns it, the others say so, and the
// record is whole whatever happens.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

test("two resumes, a cancel and two forks of one run at once leave whole records, and nothing is done twice", async () => {
  const world = createCliWorld();
  world.workflow(
    "chain",
    `import { appendFileSync } from "node:fs";
import { askUserNode, createNode, graph } from "atomic/workflows";
export const name = "chain";
export const description = "Asks, and works";
export const prompt = "none";
const work = (id) => createNode({ id, execute: async ({ state }) => {
  appendFileSync("trace.txt", state.executionId + " " + id + "\\n");
  await new Promise((resolve) => setTimeout(resolve, 20));
} });
export default () => graph().start(work("first")).then(askUserNode({ id: "colour", question: "Which colour?" }))
  .then(work("second")).then(work("third"));
`,
  );
  const nothing = world.script("nothing", [{ steps: [{ say: "ok" }] }]);
  for (let round = 0; round < 3; round++) {
    world.write("project/trace.txt", "");
    const paused = await world.run(["run", "chain", "--script", nothing, "--json"]);
    const id = paused.events()[0]?.runId ?? "";
    const resume = ["resume", id, "--answer", "colour=red", "--concurrent"];
    const all = [resume, resume, ["cancel", id], [...resume, "--from", "colour"], [...resume, "--from", "second"]];
    // `second` has not run when the fork is made, or it has: both are an answer.
    const [one, two, cancel, fork] = await Promise.all(all.map((words) => world.run(words)));

    const shown = await world.run(["sessions", "show", id, "--json"]);
    const { status } = JSON.parse(shown.stdout) as { readonly status: string };
    expect(["completed", "cancelled"]).toContain(status);
    const events = (await world.run(["sessions", "logs", id, "--json"])).events();
    expect(events.filter(({ type }) => type === "run.finished")).toMatchObject([{ outcome: status }]);
    expect(cancel?.exitCode).toBe(status === "cancelled" ? 0 : 1);
    for (const resumed of [one, two])
      if (resumed?.exitCode !== 0)
        expect(resumed?.stderr).toMatch(/RUN_OWNED|RUN_FINISHED|cancelled|Cancelled|OWNER_LOST/);
    if (status === "completed") expect([one?.exitCode, two?.exitCode]).toContain(0);

    // The fork is a separate run, whatever became of the other one.
    expect(fork?.exitCode).toBe(0);
    const lines = world.read("project/trace.txt").trim().split("\n");
    expect(new Set(lines).size).toBe(lines.length);
  }
});
