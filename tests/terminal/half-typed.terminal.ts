// What is half typed at a question of a run when its answer comes from elsewhere: it belongs to that question, and must
// reach neither the next question nor whatever reads the terminal after the program.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createPtys } from "./pty.ts";

setDefaultTimeout(2 * patienceMs);

const limitMs = 45_000;

function prepare(nodes: string) {
  const world = createCliWorld();
  world.workflow(
    "ask",
    `import { askUserNode, graph } from "atomic/workflows";
export const name = "ask";
export const description = "Asks";
export const prompt = "none";
export default () => graph()${nodes};
`,
  );
  // Reads one line of the terminal after the program has ended, as a shell does.
  const line = `'${world.program}' run ask; read -r line; echo "after: <$line>"`;
  const open = () => createPtys(world).open(["sh", "-c", line], { columns: 80 });
  return { world, open };
}

const colour = `.start(askUserNode({ id: "colour", question: "Which colour?" }))`;
const size = `.then(askUserNode({ id: "size", question: "Which size?" }))`;

test("what is half typed is dropped when the answer comes from elsewhere: the next one is as typed", async () => {
  const { world, open } = prepare(colour + size);
  const terminal = open();
  await terminal.seen('Your answer to "Which colour?"', limitMs);
  terminal.type("half");
  await terminal.seen(/^half/m, limitMs);
  expect((await world.run(["answer", world.onlyRun(), "red"])).exitCode).toBe(0);
  await terminal.seen('Your answer to "Which size?"', limitMs);
  terminal.type("big\r");
  await terminal.seen('answered: "big"', limitMs);
  terminal.type("next\r");
  await terminal.seen("after: <next>", limitMs);
  expect(await terminal.ended).toBe(0);
  // What the program says next does not continue the line that was being typed.
  expect(terminal.screen.lines()).toContain('  answered: "red"');
});

test("what is half typed is dropped before the run ends, so that the shell does not read it", async () => {
  const { world, open } = prepare(colour);
  const terminal = open();
  await terminal.seen('Your answer to "Which colour?"', limitMs);
  terminal.type("rm -rf half");
  await terminal.seen("rm -rf half", limitMs);
  expect((await world.run(["answer", world.onlyRun(), "red"])).exitCode).toBe(0);
  await terminal.seen("Completed:", limitMs);
  terminal.type("next\r");
  await terminal.seen("after: <next>", limitMs);
  expect(await terminal.ended).toBe(0);
});

test("what is half typed is dropped when the run is paused from elsewhere", async () => {
  const { world, open } = prepare(colour);
  const terminal = open();
  await terminal.seen('Your answer to "Which colour?"', limitMs);
  terminal.type("half");
  await terminal.seen(/^half/m, limitMs);
  expect((await world.run(["pause", world.onlyRun()])).exitCode).toBe(0);
  await terminal.seen(/^Paused Ask session[^]*Resume with:/m, limitMs);
  terminal.type("next\r");
  await terminal.seen("after: <next>", limitMs);
  expect(await terminal.ended).toBe(0);
});

const setsid = Bun.which("setsid");

test.skipIf(setsid === null)(
  "a program that does not control its terminal still takes an answer from elsewhere",
  async () => {
    const { world } = prepare(colour);
    const terminal = createPtys(world).open([setsid ?? "", "--wait", world.program, "run", "ask"], { columns: 80 });
    await terminal.seen('Your answer to "Which colour?"', limitMs);
    expect((await world.run(["answer", world.onlyRun(), "red"])).exitCode).toBe(0);
    await terminal.seen("Completed:", limitMs);
    expect(await terminal.ended).toBe(0);
  },
);
