// A conversation in the chat screen, on a real agent program: tools that run without asking, questions, sub-agents,
// skills and commands by name, another model, a turn that is stopped, and a chat that is continued.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually, processesOf } from "../../src/testing/contracts/agent-harness.ts";
import { poll } from "../cli/cli-world.ts";
import { delegate, said } from "./chat-scenarios.ts";
import type { ChatWalk } from "./chat-walk.ts";
import { colourQuestion, signs } from "./ralph-scenarios.ts";
import { startLimitMs, type RalphWorld } from "./ralph-world.ts";

/** The first sentence of an agent that comes with the program. */
function instructions(agent: string): string {
  const file = join(import.meta.dirname, `../../src/catalog/builtin/agents/${agent}.md`);
  const [, , body = ""] = readFileSync(file, "utf8").split(/^---$/m);
  return body.trim().split("\n")[0] ?? "";
}

/** The newest thing the model was asked by a prompt with this text. */
const asked = (world: RalphWorld, text: string): string => JSON.stringify(world.asked(text).at(-1)?.body);

const byName: ChatWalk = {
  name: "agents, a skill and a command are offered while one types and run by name; tools run without asking",
  async run({ world, program, open, send, seen, leave }) {
    const project = world.newProject("chat-names");
    const name = "chat-names";
    world.write(`${name}/.claude/skills/greet/SKILL.md`, entity("greet", "Say hello to $ARGUMENTS."));
    world.write(`${name}/.opencode/command/hail.md`, entity("hail", "Hail $ARGUMENTS from afar."));
    world.write(`${name}/.github/agents/scout.md`, entity("scout", "You are a scout who looks ahead."));
    const chat = await open(project);

    chat.type("/codebase-ana");
    await chat.seen(/\/codebase-analyzer +<task> +Explains how/);
    chat.keys("Tab");
    await send(chat, `How does the snake grow? @@analyze:${project}`);
    await seen(chat, "The snake grows in");
    assert.ok(asked(world, "How does the snake grow?").includes(instructions("codebase-analyzer")));

    await send(chat, `/debugger Why is it red? @@chat-tools:${project}`);
    const frame = await seen(chat, said.tools);
    assert.match(frame, new RegExp(`✓ ${program.vocabulary.shell("").name} `));
    assert.ok(!frame.includes("tab to answer"), "nothing was asked");
    assert.equal(readFileSync(join(project, "two.txt"), "utf8"), "one\n");
    assert.ok(asked(world, "Why is it red?").includes(instructions("debugger")));

    for (const [line, text, notice] of [
      ["/greet Ada", "Say hello to Ada", "Skill loaded: greet"],
      ["/hail Bob", "Hail Bob", "Skill loaded: hail"],
      ["@scout", "You are a scout who looks ahead.", "@scout"],
    ] as const) {
      const before = world.requests().length;
      await send(chat, `${line} @@chat-hello:${project}/${line.slice(1, 4)}`);
      await poll(
        () =>
          world
            .requests()
            .slice(before)
            .some(({ scenario, body }) => scenario === "chat-hello" && JSON.stringify(body).includes(text))
            ? true
            : undefined,
        startLimitMs,
      );
      await seen(chat, notice);
      await chat.gone(" stop  ");
    }
    await leave(chat);
  },
};

function entity(name: string, prompt: string): string {
  return `---\nname: ${name}\ndescription: One of the project's own\n---\n${prompt}\n`;
}

const conversation: ChatWalk = {
  name: "a sub-agent is shown with its tool, a question is answered, the model changes, Esc stops, --continue remembers",
  async run({ world, program, open, send, seen, leave }) {
    const project = world.newProject("chat-talk");
    const chat = await open(project);
    const shell = program.vocabulary.shell("").name;

    await send(chat, `Look around with help. @@chat-delegate:${project}`);
    await seen(chat, new RegExp(`◐ └ ${delegate} +${shell} .*1 tool `));
    await poll(() => (existsSync(join(project, signs.holding)) ? true : undefined), startLimitMs);
    world.write(`chat-talk/${signs.go}`, "");
    await seen(chat, said.delegated);
    await seen(chat, new RegExp(`✓ └ ${delegate} `));
    assert.ok(asked(world, "@@chat-look").includes(instructions(delegate)), "it has its own instructions");

    await send(chat, `Paint the snake. @@chat-choose:${project}`);
    await seen(chat, `? ${colourQuestion.text}`);
    chat.keys("Tab", "2");
    await seen(chat, said.painted);
    assert.equal(readFileSync(join(project, signs.colour), "utf8"), "blue\n");

    await send(chat, `/model ${program.otherModel}`);
    await seen(chat, `Model: ${program.otherModel}`);
    await send(chat, `Greet me. @@chat-hello:${project}`);
    await seen(chat, said.hello);
    assert.equal(world.asked("Greet me.").at(-1)?.request?.model, program.otherModel.split("/").at(-1));

    await send(chat, `Do it for ever. @@chat-long:${project}`);
    await poll(() => (existsSync(join(project, "started")) ? true : undefined), startLimitMs);
    await seen(chat, new RegExp(`◐ ${shell} `));
    chat.keys("Escape");
    await seen(chat, "■ Stopped.");
    const isEnded = (): boolean => processesOf(join(project, "started")).length === 0;
    await eventually("the command is ended", isEnded, startLimitMs);
    await leave(chat);

    const again = await open(project, "--continue");
    await seen(again, "■ Stopped.");
    await send(again, `How much do you know? @@chat-recall:${project}`);
    await seen(again, /I remember [5-9] messages\./);
    await leave(again);
  },
};

export const talkWalks: readonly ChatWalk[] = [byName, conversation];
