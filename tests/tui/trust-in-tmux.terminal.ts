// The trust dialog in tmux: a workflow file of the project, started in the chat, read and decided about on the screen.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const source = (said: string): string => `import { createNode, graph } from "atomic/workflows";
export const name = "release";
export const description = "Releases";
export const prompt = "none";
export default () => graph().start(createNode({ id: "say", execute: async () => ({ stateUpdate: { outputs: { say: "${said}" } } }) }));
`;

test.skipIf(tmuxProgram === null)(
  "a file that was never trusted is shown before it runs: no, this run only, trust; and again when it has changed",
  async () => {
    const world = createCliWorld();
    const script = world.script("chat", [{ steps: [{ say: "ok" }] }]);
    world.write("project/.atomic/workflows/release.ts", source("first words"));
    const screen = createTmux(world).open([world.program, "chat", "--script", script]);
    await screen.seen("? keys");
    const start = (): void => {
      screen.type("/release");
      screen.keys("Space", "Enter");
    };

    start();
    const asked = await screen.seen("❯ No: do not run it");
    expect(asked).toContain("The workflow release was never trusted, so it does not run yet.");
    expect(asked).toContain("first words");
    screen.keys("Enter");
    await screen.gone("No: do not run it");
    await screen.seen("so it does not run. Look at it");
    expect(screen.frame()).not.toContain("completed successfully");

    start();
    await screen.seen("❯ No: do not run it");
    screen.keys("Down", "Down");
    await screen.seen("❯ This run only");
    screen.keys("Enter");
    await screen.seen("release workflow completed successfully.");
    expect((await world.run(["trust", "--list"])).stdout).not.toContain("release.ts");

    start();
    await screen.seen("❯ No: do not run it");
    screen.keys("Down");
    await screen.seen("❯ Trust this content, and run it");
    screen.keys("Enter");
    await screen.gone("Trust this content, and run it");
    await screen.seen(/completed successfully[^]*completed successfully/);

    world.write("project/.atomic/workflows/release.ts", source("other words"));
    start();
    const changed = await screen.seen(/has changed since it was trusted[^]*❯ No: do not run it/);
    expect(changed).toMatch(/- export default [^+]*first/);
    expect(changed).toMatch(/\+ export default [^]*other/);
    screen.keys("Escape");
    await screen.gone("has changed since it was trusted");
  },
);

test.skipIf(tmuxProgram === null)(
  "a run that was trusted for once asks again when it is resumed, from the list of runs and from the chat",
  async () => {
    const world = createCliWorld();
    const script = world.script("chat", [{ steps: [{ say: "ok" }] }]);
    world.write(
      "project/.atomic/workflows/asks.ts",
      `import { askUserNode, graph } from "atomic/workflows";
export const name = "asks";
export const description = "Asks";
export const prompt = "none";
export default () => graph().start(askUserNode({ id: "colour", question: "Which colour?", options: ["red", "blue"] }));
`,
    );
    const ran = await world.run(["run", "asks", "--script", script, "--trust"]);
    expect(ran.exitCode).toBe(4);
    const id = world.onlyRun();
    await world.run(["answer", id, "blue"]);
    const screen = createTmux(world).open([world.program, "chat", "--script", script]);
    await screen.seen("? keys");

    screen.keys("F4");
    await screen.seen("asks");
    screen.keys("r");
    await screen.seen(/asks was never trusted[^]*❯ No: do not run it/);
    screen.keys("Enter");
    await screen.gone("No: do not run it");
    // The whole sentence: it does not fit into a line.
    await screen.seen(/refused[^]*asks\.ts was never[^]*esc closes/);
    screen.keys("Escape");
    await screen.gone("esc closes");

    screen.keys("F2");
    screen.type(`/resume ${id}`);
    screen.keys("Enter");
    await screen.seen("❯ No: do not run it");
    screen.keys("Down", "Down");
    await screen.seen("❯ This run only");
    screen.keys("Enter");
    await screen.seen("asks workflow completed successfully.");
    expect((await world.run(["trust", "--list"])).stdout).not.toContain("asks.ts");
  },
);
