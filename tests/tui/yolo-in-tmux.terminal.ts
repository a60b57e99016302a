// `/ralph --yolo` in the chat screen: one line for the iteration that runs, none for those that ended.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

test.skipIf(tmuxProgram === null)("iterations that ended leave no line that says they still run", async () => {
  const world = createCliWorld();
  const script = world.script("yolo", [
    { times: 2, steps: [{ bash: "true" }, { say: "Not yet." }] },
    { steps: [{ bash: "until [ -e go ]; do sleep 0.05; done" }, { say: "COMPLETE" }] },
  ]);
  const chat = createTmux(world).open([world.program, "chat", "--script", script]);
  await chat.seen("? keys", patienceMs / 2);
  chat.type('/ralph --yolo "Do it"');
  await chat.seen('"Do it"');
  chat.keys("Enter");
  const frame = await chat.seen(/◐ └ yolo {2}bash until/, patienceMs / 2);

  expect(frame.match(/◐ └/g)).toHaveLength(1);
  world.write("project/go", "");
  expect(await chat.seen("ralph workflow completed successfully.", patienceMs / 2)).not.toContain("◐ └");
});
