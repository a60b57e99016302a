// A sample of the crash matrix over ralph on the real Claude Code, the program that starts fastest.
// `npm run test:agents -- ralph-crash-full` kills at every write.

import { expect, test } from "bun:test";
import { crashCell, everyKill, type CrashEnd } from "./ralph-crash.ts";
import { claudeProgram } from "./ralph-programs.ts";
import { createRalphWorld } from "./ralph-world.ts";

const sample = 5;
const limitMs = 600_000;

const world = createRalphWorld(claudeProgram);
let expected: CrashEnd | undefined;

const whole = async (): Promise<CrashEnd> => (expected ??= await crashCell(world, undefined));

test(
  "claude: a ralph run that is killed at its writes and resumed ends as if it had not been",
  async () => {
    const { same, writes } = await whole();
    expect(same.outcome).toBe("completed");
    const kills = everyKill(writes);
    // Spread over the whole run.
    for (let i = 0; i < sample; i++) {
      const kill = kills[Math.floor(((i + 0.5) * kills.length) / sample)];
      const end = await crashCell(world, kill);
      expect({ kill, isKilled: end.isKilled, ...end.same }).toEqual({ kill, isKilled: true, ...same });
    }
  },
  limitMs,
);

test(
  "claude: a ralph run that is killed while the agent works continues in the agent's own session",
  async () => {
    const end = await crashCell(world, { during: "terminal" });
    expect(end.same).toEqual((await whole()).same);
    expect(end.continued).toBe(1);
  },
  limitMs,
);
