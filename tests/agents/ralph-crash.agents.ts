// A sample of the crash matrix over ralph on the real Claude Code, the program that starts fastest.
// `npm run test:agents -- ralph-crash-full` kills at every write.

import { expect, test } from "bun:test";
import { crashCell, everyKill } from "./ralph-crash.ts";
import { claudeProgram } from "./ralph-programs.ts";
import { createRalphWorld } from "./ralph-world.ts";

const sample = 6;
const limitMs = 600_000;

const world = createRalphWorld(claudeProgram);

test(
  "claude: a ralph run that is killed at its writes and resumed ends as if it had not been",
  async () => {
    const expected = await crashCell(world, undefined);
    expect(expected.same.outcome).toBe("completed");
    const kills = everyKill(expected);
    let continued = 0;
    // Spread over the whole run, before and after in turn.
    for (let i = 0; i < sample; i++) {
      const kill = kills[Math.floor(((i + 0.5) * kills.length) / sample)];
      const end = await crashCell(world, kill);
      expect({ kill, ...end.same }).toEqual({ kill, ...expected.same });
      continued += end.continued;
    }
    // Otherwise the sample would show nothing of turns that go on.
    expect(continued).toBeGreaterThan(0);
  },
  limitMs,
);
