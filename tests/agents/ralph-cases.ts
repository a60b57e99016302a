// The end-to-end cases of 001 §8.3 for ralph, except questions (ralph-questions.ts): the real command line, a real
// agent program, a snake game that is really compiled and played.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { StoredEvent } from "../../src/journal/port.ts";
import type { Json } from "../../src/lib/json.ts";
import { eventually } from "../../src/testing/contracts/agent-harness.ts";
import type { SeenRequest } from "../../src/testing/model-server/model-server.ts";
import { poll } from "../cli/cli-world.ts";
import { saysInterrupted, promptOf, signs, titles } from "./ralph-scenarios.ts";
import { startedId, startLimitMs, type RalphCase, type RalphWorld } from "./ralph-world.ts";

const randomId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const doing = (title: string): string => `no other: ${title}\n`;

const featureList: RalphCase = {
  name: "ralph works the folder's feature list off in a session with a random id, and keeps what it did there",
  async run(world) {
    const project = world.newFeatures("features", { rules: [], terminal: ["rules"] });
    const list = join(project, "research/feature-list.json");
    const before = readFileSync(list, "utf8");
    const run = await world.ralph(project, ["--verify", world.kit.testCommand, "--max-reviews", "0"]).ended;
    const id = startedId(run.stderr);

    assert.equal(run.exitCode, 0, run.stderr);
    assert.match(id, randomId);
    assert.equal(world.inProject(project, world.kit.playCommand), 0, "the game can be played");
    assert.equal(readFileSync(list, "utf8"), before, "the list stays as it is");
    // The first try had a mistake; what the tests said about it went back to the worker.
    const [again] = world.asked("An earlier try of this task did not pass");
    assert.ok(promptOf(again?.request).includes(world.kit.symptom));
    await checkArtifacts(world, join(world.sessions, id), before);
  },
};

async function checkArtifacts(world: RalphWorld, folder: string, list: string): Promise<void> {
  const read = (file: string): string => readFileSync(join(folder, file), "utf8");
  const session = JSON.parse(read("session.json")) as Record<string, unknown>;
  assert.deepEqual(
    { id: session["sessionId"], status: session["status"], done: session["completedFeatures"] },
    { id: basename(folder), status: "completed", done: ["rules", "terminal"] },
  );
  const { tasks } = JSON.parse(read("tasks.json")) as { tasks: { name: string; status: string }[] };
  assert.deepEqual(
    tasks.map(({ name, status }) => [name, status]),
    [
      [titles.rules, "passing"],
      [titles.terminal, "passing"],
    ],
  );
  const features = (text: string): string[] =>
    (JSON.parse(text) as { features: { id: string }[] }).features.map(({ id }) => id);
  assert.deepEqual(features(read("feature-list.json")), features(list));
  assert.ok(read("progress.txt").includes(titles.terminal));
  const calls = read("logs/agent-calls.jsonl").trim().split("\n");
  const finished = calls
    .map((line) => JSON.parse(line) as StoredEvent)
    .filter(({ outcome }) => outcome === "completed");
  assert.deepEqual(
    finished.map(({ task }) => task),
    ["rules", "rules", "terminal"],
  );
  for (const name of ["journal.sqlite", "checkpoints", "research"]) assert.ok(existsSync(join(folder, name)), name);
  // Files were written and commands ran, and no permission was asked for.
  const events = await world.events(basename(folder));
  assert.deepEqual(
    events.filter(({ type }) => type.startsWith("question.")),
    [],
  );
}

const planned: RalphCase = {
  name: "ralph PROMPT plans, works, verifies, reviews and fixes what the review found",
  async run(world) {
    const project = world.newProject("planned");
    const goal = `Build a snake game in ${world.kit.language}. @@criticized:${project}`;
    const run = await world.ralph(project, [goal]).ended;
    const events = await world.events(startedId(run.stderr));

    assert.equal(run.exitCode, 0, run.stderr);
    assert.ok(existsSync(join(project, signs.readme)), "what the review found is fixed");
    assert.deepEqual(
      events.filter(({ type }) => type === "review.finished").map(({ verdict }) => verdict),
      ["incorrect", "correct"],
    );
    const updated = events.flatMap(({ type, task }) =>
      type === "task.updated" ? [task as { [key: string]: Json }] : [],
    );
    const completed = updated.filter(({ status }) => status === "completed").map(({ id }) => id);
    assert.deepEqual([...new Set(completed)], ["rules", "terminal", "fix-1-1"]);
    // Planners and reviewers may only read; workers may write.
    const mayWrite = (prompt: string): boolean | undefined =>
      world
        .asked(prompt)
        .find(({ request }) => promptOf(request).includes(goal))
        ?.request?.tools.includes(world.words.write("", "").name);
    const prompts = ["Break the following work down", "Review the work that was just done", doing(titles.rules)];
    assert.deepEqual(prompts.map(mayWrite), [false, false, true]);
  },
};

const yolo: RalphCase = {
  name: "--yolo asks again in a fresh context, with the promise to keep, until the last line is COMPLETE; 0 means no limit",
  async run(world) {
    const project = world.newProject("yolo");
    const task = `Build a snake game in ${world.kit.language}. @@yolo:${project}`;
    const words = ["--yolo", task, "--max-iterations", "0", "--verify", world.kit.testCommand];
    // What the user set otherwise would end it after one iteration.
    const run = await world.ralph(project, words, { env: { ATOMIC_MAX_ITERATIONS: "1" } }).ended;
    const prompts = world.asked(task).filter(({ step }) => step === 0);

    assert.equal(run.exitCode, 0, run.stderr);
    assert.match(run.stderr, /No iteration limit is set: only completion, another limit or Ctrl\+C ends this run/);
    assert.equal(prompts.length, 3, "two answers only spoke of the word");
    for (const { request } of prompts) {
      const prompt = promptOf(request);
      const promise = prompt.indexOf("end your answer with a last line that is exactly COMPLETE");
      assert.ok(promise > prompt.indexOf(task), "what it promises comes after what was asked for");
      assert.deepEqual(
        request?.messages.filter(({ role, text }) => role === "assistant" || text.includes("@@")).length,
        1,
        "nothing of an earlier iteration is there",
      );
    }
    assert.ok(existsSync(join(project, signs.played)));
    const folder = join(world.sessions, startedId(run.stderr));
    assert.equal(JSON.parse(readFileSync(join(folder, "session.json"), "utf8")).yolo, true);
    assert.ok(!existsSync(join(folder, "feature-list.json")));
  },
};

const yoloLimited: RalphCase = {
  name: "--yolo stops at its limit of iterations with work open, and --resume continues from there",
  async run(world) {
    const project = world.newProject("limited");
    const task = `Build a snake game in ${world.kit.language}. @@yolo:${project}`;
    const limited = await world.ralph(project, ["--yolo", task, "--max-iterations", "2"]).ended;
    const id = startedId(limited.stderr);

    assert.equal(limited.exitCode, 5, limited.stderr);
    assert.ok(limited.stderr.includes(`Resume with: atomic resume ${id} --max-iterations N`));
    const resumed = await world.ralph(project, ["--resume", id, "--max-iterations", "0"]).ended;
    assert.equal(resumed.exitCode, 0, resumed.stderr);
    assert.equal(world.asked(task).filter(({ step }) => step === 0).length, 3, "the first two were not asked again");
  },
};

const interrupted: RalphCase = {
  name: "Ctrl+C pauses the session in .ralph/sessions, and --resume continues in the interrupted agent session",
  async run(world) {
    const project = world.newFeatures("interrupted", { rules: [], long: ["rules"] });
    // As in the documents: sessions in the project. Only the user's own settings may say so.
    const env = { ATOMIC_HOME: join(world.root, "other-home") };
    world.write("other-home/settings.json", { sessions: { dir: ".ralph/sessions" } });
    const words = ["--max-reviews", "0"];
    const run = world.ralph(project, words, { env });
    await poll(() => (existsSync(join(project, "started")) ? true : undefined), startLimitMs);
    run.signal("SIGINT");
    const ended = await run.ended;
    const id = startedId(ended.stderr);

    assert.equal(ended.exitCode, 130, ended.stderr);
    assert.ok(ended.stderr.includes(`Paused Ralph session: ${id}`), ended.stderr);
    assert.ok(ended.stderr.includes(`Resume with: atomic resume ${id}`), ended.stderr);
    const grep = `grep -l '"status": "paused"' .ralph/sessions/${id}/session.json`;
    assert.equal(world.inProject(project, grep), 0, "the session says that it is paused");
    assert.equal(
      world.inProject(project, 'test -z "$(git status --short .ralph)"'),
      0,
      "it is not part of the project's work",
    );
    await eventually("the command of the interrupted turn is gone", () => world.processes().length === 0);

    const asked = world.requests().length;
    const resumed = await world.ralph(project, ["--resume", id], { env }).ended;
    assert.equal(resumed.exitCode, 0, resumed.stderr);
    assert.ok(existsSync(join(project, signs.built)));
    assert.deepEqual(world.asked(doing(titles.rules), asked), [], "what was done is not asked for again");
    checkContinues(world.asked(doing(titles.long), asked)[0]);
    const sessions = (await world.events(id, join(project, ".ralph/sessions")))
      .filter(({ type, task }) => type === "agent.turn-started" && task === "long")
      .map(({ sessionId }) => sessionId);
    assert.equal(sessions.length, 2);
    assert.equal(sessions[0], sessions[1], "it is the same session of the agent");
  },
};

/** The model sees what it did before, and that it was interrupted. */
function checkContinues(seen: SeenRequest | undefined): void {
  const prompts = (seen?.request?.messages ?? []).filter(({ role, text }) => role === "user" && text.includes("@@"));
  assert.ok(saysInterrupted(promptOf(seen?.request)), "the prompt says that it was interrupted");
  assert.equal(prompts.length, 2, "what it was asked before the interruption is there");
  assert.ok(seen?.request?.messages.some(({ role }) => role === "assistant"));
}

const subagent: RalphCase = {
  name: "a workflow runs the sub-agent codebase-analyzer with its own instructions and its own tools",
  async run(world) {
    world.workflow(
      "analyze",
      `import { graph, subagentNode } from "atomic/workflows";
export const name = "analyze";
export const description = "Lets codebase-analyzer look";
export default () => graph().start(
  subagentNode({ id: "look", agent: "codebase-analyzer", task: (state) => state.prompt }),
);
`,
    );
    const project = world.newProject("analyzed");
    const prompt = `How does the snake grow? @@analyze:${project}`;
    const run = await world.start(["run", "analyze", prompt, "-a", world.program], { cwd: project }).ended;
    const [seen] = world.asked(prompt);

    assert.equal(run.exitCode, 0, run.stderr);
    assert.ok(run.stdout.includes("The snake grows in"), run.stdout);
    assert.ok(JSON.stringify(seen?.body).includes("You find out how code works"), "its instructions are there");
    assert.ok(seen?.request?.tools.includes(world.words.shell("").name), "it may look");
    assert.ok(!seen?.request?.tools.includes(world.words.write("", "").name), "it may not write");
    // It wants a large model of Claude's; other programs have none of that name and take the run's own.
    assert.equal(seen?.request?.model.includes("opus"), world.program === "claude", `model ${seen?.request?.model}`);
  },
};

const concurrent: RalphCase = {
  name: "two sessions at the same time in one folder have their own tasks and records",
  async run(world) {
    const project = world.newProject("shared");
    const lists = [{ meet: [], rules: ["meet"] } as const, { meet: [], terminal: ["meet"] } as const];
    // Each waits in its first task for the other, so both must run at the same time.
    const runs = await Promise.all(
      lists.map((tasks, i) => {
        const list = world.writeFeatures(project, `list-${i}.json`, tasks);
        // Whichever is later may see the other, and would ask.
        return world.ralph(project, ["--feature-list", list, "--max-reviews", "0", "--concurrent"]).ended;
      }),
    );
    const ids = runs.map(({ stderr }) => startedId(stderr));

    for (const run of runs) assert.equal(run.exitCode, 0, run.stderr);
    assert.notEqual(ids[0], ids[1]);
    for (const [i, id] of ids.entries()) {
      const session = JSON.parse(readFileSync(join(world.sessions, id, "session.json"), "utf8"));
      assert.deepEqual([session.status, session.completedFeatures], ["completed", Object.keys(lists[i] ?? {})]);
      const other = i === 0 ? titles.terminal : titles.rules;
      assert.ok(!JSON.stringify(await world.events(id)).includes(other), "nothing of the other is on record");
    }
    for (const { path } of [...world.kit.rules, world.kit.terminal]) assert.ok(existsSync(join(project, path)), path);
  },
};

export const ralphCases: readonly RalphCase[] = [
  featureList,
  planned,
  yolo,
  yoloLimited,
  interrupted,
  subagent,
  concurrent,
];
