// The state of a run at any of its moments, and the keys of a screen, in tmux with the real program.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const skip = test.skipIf(tmuxProgram === null);

const bestTwo = `import { annotation, createNode, graph } from "atomic/workflows";
export const name = "best";
export const description = "Keeps the two best scores";
export const prompt = "none";
const best = (now, more) => [...(now ?? []), ...more].toSorted((a, b) => b - a).slice(0, 2);
const state = { scores: annotation([5], best), log: annotation("") };
const score = (id, value) => createNode({ id, execute: async () => ({ stateUpdate: { scores: [value], log: id } }) });
export default () => graph(state).start(score("low", 1)).then(score("high", 9)).then(score("middle", 7));
`;

/** A run of the workflow is over; the screen shows the state of its last step. */
async function openState() {
  const world = createCliWorld();
  world.workflow("best", bestTwo);
  const script = world.script("chat", [{ steps: [{ say: "Hello." }] }]);
  expect(await world.run(["run", "best"])).toMatchObject({ exitCode: 0 });
  const screen = createTmux(world).open([world.program, "chat", "--script", script], { columns: 100 });
  await screen.seen("? keys");
  return {
    world,
    screen,
    async show() {
      screen.keys("F3");
      await screen.seen(/best [0-9a-f]{8}/);
      screen.keys("Enter");
      await screen.seen("prompt");
      screen.keys("Right", "Right", "Right", "Right");
      return screen.seen("scores");
    },
  };
}

skip("the state tab shows what the workflow's own reducer made of the updates, at each moment", async () => {
  const { screen, show } = await openState();
  await show();
  await screen.seen(/scores +by middle#1, event \d+ +own[\s│[]+9,[\s│]+7[\s│]+\]/);

  // Before the last step.
  screen.keys("Escape");
  await screen.gone("scores");
  screen.keys("S-Left");
  await screen.seen("past · read-only");
  screen.keys("Enter");
  await screen.seen("prompt");
  screen.keys("Right", "Right", "Right", "Right");
  await screen.seen(/9,[\s│]+5[\s│]+\]/);
});

skip("the state tab says when the workflow's own reducer is not to be had", async () => {
  const { world, show, screen } = await openState();
  world.workflow("best", "this is no workflow");
  await show();
  await screen.seen(/only the last update: the workflow's own reducer can't be[\s│]+loaded/);
});

skip("? and F1 list the keys of each screen, and Esc closes the list", async () => {
  const { screen } = await openState();
  screen.keys("?");
  await screen.seen(/\^R +search earlier/);
  screen.keys("Escape");
  await screen.gone("search earlier");
  screen.type("a question");
  await screen.seen("❯ a question");
  screen.keys("F1");
  await screen.seen("search earlier");
  screen.keys("Escape");
  await screen.gone("search earlier");
  // Its text is kept.
  await screen.seen("❯ a question");
  for (const [key, shown, own] of [
    ["F3", "Enter opens", "one node back"],
    ["F4", "completed", "filter by what you type"],
    ["F5", /evidence/, "look at the folder again"],
  ] as const) {
    screen.keys(key);
    await screen.seen(shown);
    await screen.gone("❯ a question");
    screen.keys("F1");
    await screen.seen(own);
    screen.keys("Escape");
    await screen.gone(own);
  }
});
