// The whole crash matrix over ralph on the real Claude Code: killed right before and right after every write. It takes
// between a quarter and half of an hour, so it runs only when it is named.

import { expect, test } from "bun:test";
import { messageOf } from "../../src/lib/errors.ts";
import { crashCell, everyKill, isLate } from "./ralph-crash.ts";
import { claudeProgram } from "./ralph-programs.ts";
import { createRalphWorld } from "./ralph-world.ts";

const limitMs = 3 * 3_600_000;

const world = createRalphWorld(claudeProgram);

test(
  "claude: a ralph run that is killed at any of its writes and resumed ends as if it had not been",
  async () => {
    const expected = await crashCell(world, undefined);
    const problems: string[] = [];
    let continued = 0;
    for (const kill of everyKill(expected.writes)) {
      try {
        const end = await crashCell(world, kill);
        expect(end.same).toEqual(expected.same);
        expect(end.isKilled || isLate(kill, expected.writes)).toBe(true);
        continued += end.continued;
      } catch (thrown) {
        problems.push(`${kill.when} write ${kill.write} of ${expected.writes}: ${messageOf(thrown)}`);
      }
    }
    process.stdout.write(`${expected.writes} writes, ${continued} turns continued in their own session\n`);
    expect(problems).toEqual([]);
    expect(continued).toBeGreaterThan(0);
  },
  limitMs,
);
