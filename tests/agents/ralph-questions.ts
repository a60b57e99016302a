// Nothing but a question pauses a run: answered beforehand, from another process during the run, or after it has
// stopped. The question is the program's own, asked by the model with the program's own tool.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { poll } from "../cli/cli-world.ts";
import { colourQuestion, signs } from "./ralph-scenarios.ts";
import { startedId, startLimitMs, type RalphCase } from "./ralph-world.ts";

const colourIn = (project: string): string => readFileSync(join(project, signs.colour), "utf8").trim();
const words = ["--max-reviews", "0"];

export const questionCases: readonly RalphCase[] = [
  {
    name: "an agent's question is answered beforehand with --answer",
    async run(world) {
      const project = world.newFeatures("answered", { colour: [] });
      const answer = ["--answer", `${colourQuestion.text}=${colourQuestion.options[1]}`];
      const run = await world.ralph(project, [...words, ...answer]).ended;

      assert.equal(run.exitCode, 0, run.stderr);
      assert.equal(colourIn(project), "blue");
    },
  },
  {
    name: "an agent's question is answered from another process, while another worker's tools run on",
    async run(world) {
      const project = world.newFeatures("live", { colour: [], hold: [] });
      const run = world.ralph(project, words);
      await poll(() => (run.stderr().includes("answer with: ") ? true : undefined), startLimitMs);
      await poll(() => (existsSync(join(project, signs.holding)) ? true : undefined), startLimitMs);
      const id = startedId(run.stderr());
      const answered = await world.start(["answer", id, "green"], { cwd: project }).ended;

      assert.equal(answered.stdout, `Answered "${colourQuestion.text}".\n`);
      await poll(() => (existsSync(join(project, signs.colour)) ? true : undefined), startLimitMs);
      world.write(`live/${signs.go}`, "");
      const ended = await run.ended;
      assert.equal(ended.exitCode, 0, ended.stderr);
      assert.equal(colourIn(project), "green");
    },
  },
  {
    name: "an unanswered question pauses the run; the answer is kept for --resume, and the question asked once",
    async run(world) {
      const project = world.newFeatures("suspended", { colour: [] });
      const run = await world.ralph(project, words).ended;
      const id = startedId(run.stderr);

      assert.equal(run.exitCode, 4, run.stderr);
      assert.ok(run.stderr.includes(`It asks: ${colourQuestion.text}`), run.stderr);
      assert.equal((await world.start(["answer", id, "blue"], { cwd: project }).ended).exitCode, 0);
      const resumed = await world.ralph(project, ["--resume", id]).ended;
      assert.equal(resumed.exitCode, 0, resumed.stderr);
      assert.equal(colourIn(project), "blue");
      const asked = (await world.events(id)).filter(({ type }) => type === "question.asked");
      assert.equal(asked.length, 1, "the person is asked once");
    },
  },
];
