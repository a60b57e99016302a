// What a newcomer reads first, in a terminal of 80 columns: no line is left to the terminal to break inside a word.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createPtys } from "./pty.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const { open } = createPtys(world);

test.each([[["--help"]], [["help"]], [["doctor"]]])("atomic %p fits into 80 columns", async (words) => {
  const terminal = open([world.program, ...words], { columns: 80, rows: 60 });
  expect(await terminal.ended).toBe(0);
  const lines = terminal.screen.lines();
  expect(lines.length).toBeGreaterThan(5);
  // A path may be longer than a line.
  const wide = lines.filter((line) => Bun.stringWidth(line) > 80 && !/^.{20}\/\S+$/.test(line));
  expect(wide).toEqual([]);
});
