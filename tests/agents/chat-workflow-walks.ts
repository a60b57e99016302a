// A user's own workflows in the chat screen, on a real agent program: 002 §8.2 and 003 §8.3.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { poll } from "../cli/cli-world.ts";
import { said } from "./chat-scenarios.ts";
import type { ChatWalk } from "./chat-walk.ts";
import { colourQuestion, signs, titles } from "./ralph-scenarios.ts";
import { startLimitMs } from "./ralph-world.ts";

/** As in 002 §5.2: a graph as data. One node has no description. */
const testWorkflow = `import { agentNode, createNode } from "atomic/workflows";
export const name = "test-workflow";
export const description = "Looks and reports";
const count = async ({ state }) => ({ stateUpdate: { letters: String(state.outputs.look).length } });
const report = async ({ state }) => ({ stateUpdate: { outputs: { report: "It has " + state.letters + " letters." } } });
export const graphConfig = {
  startNode: "look",
  nodes: [
    agentNode({ id: "look", prompt: (state) => state.prompt }),
    createNode({ id: "count", execute: count }),
    createNode({ id: "report", execute: report }),
  ],
  edges: [
    { from: "look", to: "count" },
    { from: "count", to: "report" },
  ],
};
export const nodeDescriptions = { look: "Looking at the project", report: "Writing the report" };
export const createState = ({ sessionId, prompt }) => ({ executionId: sessionId, prompt, outputs: {} });
`;

const ownWorkflow: ChatWalk = {
  name: "a workflow of the project is trusted, streams, reports its progress, is paused by Ctrl+C and resumed",
  async run({ world, program, open, send, seen, leave, status }) {
    const project = world.newProject("chat-workflow");
    world.write("chat-workflow/.atomic/workflows/test-workflow.ts", testWorkflow);
    const chat = await open(project);
    await send(chat, `/test-workflow Look around. @@chat-look:${project}`);
    await chat.seen("❯ No: do not run it");
    chat.keys("Down");
    await chat.seen("❯ Trust this content, and run it");
    chat.keys("Enter");
    const started = await seen(chat, /Started Test-workflow session: \S{36}/);
    const run = /session: (\S{36})/.exec(started)?.[1] ?? "";
    await seen(chat, "Starting test-workflow workflow...");
    await seen(chat, "Workflow Progress: Looking at the project");
    // What its agent does at the moment.
    await seen(chat, new RegExp(`◐ └ look +${program.vocabulary.shell("").name} `));
    await poll(() => (existsSync(join(project, signs.holding)) ? true : undefined), startLimitMs);
    assert.equal(status(run), "running");
    chat.keys("C-c");
    await seen(chat, `Resume with: /test-workflow --resume ${run}`);
    assert.equal(status(run), "paused");

    world.write(`chat-workflow/${signs.go}`, "");
    await send(chat, `/test-workflow --resume ${run}`);
    const frame = await seen(chat, "test-workflow workflow completed successfully.");
    assert.equal(status(run), "completed");
    assert.match(frame, /Workflow Progress: Writing the report[^]*It has \d+ letters\.[^]*completed successfully/);
    assert.equal(frame.match(/Workflow Progress: Writing the report/g)?.length, 1);
    assert.ok(!frame.includes("Workflow Progress: count"), "a node without a description is not mentioned");
    await leave(chat);
  },
};

const made: ChatWalk = {
  name: "workflows made by `workflows new` run, one without a graph in the chat itself; /ralph asks about a tasks.json",
  async run({ world, open, send, seen, leave, status }) {
    const project = world.newProject("chat-made");
    for (const [name, form] of [
      ["made", "graph"],
      ["note", "prompt"],
    ] as const) {
      const { exitCode, stderr } = await world.start(["workflows", "new", name, "--form", form], { cwd: project })
        .ended;
      assert.equal(exitCode, 0, stderr);
    }
    world.write("chat-made/research/tasks.json", {
      version: "1.0",
      tasks: [
        { id: "colour", name: titles.colour, description: `Of a snake. @@snake:${project}`, status: "pending" },
        { id: "explain", name: titles.explain, description: `@@snake:${project}`, dependencies: ["colour"] },
      ],
    });
    const chat = await open(project);

    await send(chat, `/made Build it. @@chat-hello:${project}`);
    const frame = await seen(chat, "made workflow completed successfully.");
    assert.ok(frame.includes(said.hello));
    await send(chat, `/note Remember this. @@chat-recall:${project}`);
    await seen(chat, "I remember 1 messages.");
    await seen(chat, "Starting note workflow...");

    await send(chat, "/ralph --max-reviews 0");
    const started = await seen(chat, /Started Ralph session: \S{36}/);
    const run = /Ralph session: (\S{36})/.exec(started)?.[1] ?? "";
    await seen(chat, `? ${colourQuestion.text}`);
    chat.keys("C-t");
    await seen(chat, new RegExp(`◐ colour +${titles.colour}`));
    await seen(chat, new RegExp(`○ explain +${titles.explain} +needs colour`));
    chat.keys("F2");
    await seen(chat, `? ${colourQuestion.text}`);
    chat.keys("Tab", "2");
    await seen(chat, "ralph workflow completed successfully.");
    assert.equal(status(run), "completed");
    assert.equal(readFileSync(join(project, signs.colour), "utf8"), "blue\n");
    const { tasks } = JSON.parse(readFileSync(join(world.sessions, run, "tasks.json"), "utf8")) as {
      tasks: { id: string; status: string }[];
    };
    assert.deepEqual(
      tasks.map(({ id, status: state }) => [id, state]),
      [
        ["colour", "passing"],
        ["explain", "passing"],
      ],
    );
    await leave(chat);
  },
};

export const workflowWalks: readonly ChatWalk[] = [ownWorkflow, made];
