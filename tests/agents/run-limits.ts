// Limits of a run inside a turn, on the real programs: what a call used counts as soon as it is reported, also when the
// process that ran the turn is killed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/lib/json.ts";
import { eventually } from "../../src/testing/contracts/agent-harness.ts";
import { poll } from "../cli/cli-world.ts";
import { calls, small } from "./limit-scenarios.ts";
import { startedId, startLimitMs, type RalphCase, type RalphWorld } from "./ralph-world.ts";

function newSpender(world: RalphWorld, name: string, scenario = "spend-tokens") {
  world.workflow(
    "spend",
    `import { agentNode, graph } from "atomic/workflows";
export const name = "spend";
export default () => graph().start(agentNode({ id: "turn", prompt: (state) => state.prompt }));
`,
  );
  const project = world.newProject(name);
  const prompt = `Spend it. @@${scenario}:${project}`;
  const start = (...words: readonly string[]) =>
    world.start([...words, "-a", world.program, "--json"], { cwd: project });
  return {
    run: (...words: readonly string[]) => start("run", "spend", prompt, ...words),
    resume: (id: string, ...words: readonly string[]) => start("resume", id, ...words),
    asked: (from = 0) => world.asked(prompt, from).length,
  };
}

function totalsOf(world: RalphWorld, id: string): { readonly costUsd: number; readonly tokens: number } {
  const session = JSON.parse(readFileSync(join(world.sessions, id, "session.json"), "utf8")) as JsonObject;
  const totals = session["totals"] as { costUsd: number; inputTokens: number; outputTokens: number };
  return { costUsd: totals.costUsd, tokens: totals.inputTokens + totals.outputTokens };
}

/** Two calls stay below it, the third one reaches it. */
const tokenCap = 2.5 * (small.input + small.output);

export const tokenCases: readonly RalphCase[] = [
  {
    name: "a cap on tokens ends a turn at the call that reaches it, and a higher one continues in the same session",
    async run(world) {
      const spender = newSpender(world, "tokens");
      const capped = await spender.run("--max-tokens", String(tokenCap)).ended;
      const last = capped.events().at(-1);
      const id = String(last?.runId);

      assert.equal(capped.exitCode, 5, capped.stderr);
      assert.deepEqual([last?.type, last?.["limit"]], ["run.paused", "max-tokens"]);
      assert.ok(spender.asked() <= 4, `${spender.asked()} calls, of which the third reached the cap`);
      const { tokens } = totalsOf(world, id);
      assert.ok(tokens >= tokenCap && tokens < tokenCap + 2 * (small.input + small.output), `${tokens} tokens`);
      const resumed = await spender.resume(id, "--max-tokens", "none").ended;
      assert.equal(resumed.exitCode, 0, resumed.stderr);
    },
  },
  {
    name: "what a turn used before kill -9 is on record, and counts after it",
    async run(world) {
      const spender = newSpender(world, "killed");
      const run = spender.run();
      await poll(() => (spender.asked() >= 5 ? true : undefined), startLimitMs);
      const askedBefore = spender.asked();
      run.signal("SIGKILL");
      const ended = await run.ended;
      const id = String(ended.events()[0]?.runId);
      // The agent's program ends with its parent; until then it continues to ask, and no process records that.
      await eventually("no process is left", () => world.processes().length === 0);
      const asked = spender.asked();
      const reported = (await world.events(id)).filter(({ type }) => type === "agent.usage-reported").at(-1);
      const usage = reported?.["usage"] as { inputTokens: number; outputTokens: number } | undefined;
      const recorded = ((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)) / (small.input + small.output);

      // The call under way was not answered yet, and the one before it may not have been stored yet.
      assert.ok(recorded >= askedBefore - 2, `${recorded} of ${askedBefore} calls are on record`);
      const resumed = await spender.resume(id, "--max-tokens", "1000").ended;
      assert.equal(resumed.exitCode, 5, resumed.stderr);
      assert.equal(spender.asked(), asked, "what was used before the kill counts: no further call is made");
    },
  },
];

export const costCases: readonly RalphCase[] = [
  {
    name: "a cap on cost ends a turn at the call that reaches it",
    async run(world) {
      const spender = newSpender(world, "cost", "spend-money");
      const capped = await spender.run("--max-cost", "1").ended;
      const last = capped.events().at(-1);
      const id = String(last?.runId);

      assert.equal(capped.exitCode, 5, capped.stderr);
      assert.deepEqual([last?.type, last?.["limit"]], ["run.paused", "max-cost"]);
      const asked = spender.asked();
      assert.ok(asked < calls / 2, `${asked} calls`);
      const { costUsd } = totalsOf(world, id);
      const perCallUsd = costUsd / asked;
      assert.ok(costUsd >= 1 && costUsd < 1 + 2 * perCallUsd, `$${costUsd} in ${asked} calls`);
    },
  },
  {
    name: "the cost of a turn before kill -9 is on record",
    async run(world) {
      const spender = newSpender(world, "killed-cost", "spend-money");
      const run = spender.run();
      await poll(() => (spender.asked() >= 5 ? true : undefined), startLimitMs);
      run.signal("SIGKILL");
      const ended = await run.ended;
      const id = String(ended.events()[0]?.runId);
      const resumed = await spender.resume(id, "--max-cost", "0.1").ended;

      assert.equal(resumed.exitCode, 5, resumed.stderr);
      assert.ok(totalsOf(world, id).costUsd > 1, `$${totalsOf(world, id).costUsd}`);
    },
  },
];

export const noCostCases: readonly RalphCase[] = [
  {
    name: "--max-cost is refused at the start where the program states no cost, with what to use instead",
    async run(world) {
      const spender = newSpender(world, "no-cost");
      const refused = await spender.run("--max-cost", "1").ended;

      assert.equal(refused.exitCode, 2, refused.stderr);
      assert.match(refused.stderr, /--max-tokens/);
      assert.equal(spender.asked(), 0);
      assert.equal(startedId(refused.stdout + refused.stderr, "Spend"), "", "no run was made");
    },
  },
];
