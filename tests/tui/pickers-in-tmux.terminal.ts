// Lists, commands and searches of the chat screen, in the real program.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const world = createCliWorld();
const script = world.script("chat", [
  { match: "Say hello to Ada", steps: [{ say: "Hello Ada." }] },
  { agent: "debugger", steps: [{ say: "Debugged." }] },
  {
    match: "long",
    steps: [
      { say: Array.from({ length: 60 }, (_, i) => (i === 3 ? "the needle is here" : `line ${i}`)).join("\n\n") },
      { usage: { inputTokens: 5000, outputTokens: 10, costUsd: 0.01 } },
    ],
  },
  { match: "wait", steps: [{ bash: "until [ -e go ]; do sleep 0.05; done" }, { say: "It went." }] },
  { steps: [{ say: "Yes." }] },
]);
world.write(
  "home/.claude/skills/greet/SKILL.md",
  "---\nname: greet\ndescription: Greets a person\n---\nSay hello to $ARGUMENTS",
);
world.workflow(
  "slow",
  `import { agentNode, graph } from "atomic/workflows";
export const name = "slow";
export const description = "Waits";
export const nodeDescriptions = { work: "Waiting for the file" };
export default () => graph().start(agentNode({ id: "work", prompt: () => "please wait" }));
`,
);
const tmux = createTmux(world);
const open = (...words: readonly string[]) => tmux.open([world.program, "chat", "--script", script, ...words]);

test.skipIf(tmuxProgram === null)("everything by name, find, history, help and models", async () => {
  const chat = open();
  await chat.seen("? keys");
  chat.keys("C-p");
  await chat.seen("everything by name");
  chat.type("theme");
  await chat.seen("/theme");
  chat.keys("Escape");
  await chat.gone("everything by name");

  chat.type("say something long");
  chat.keys("Enter");
  await chat.seen("line 59");
  chat.keys("C-f");
  chat.type("needle");
  await chat.seen("1 of 1");
  await chat.seen("the needle is here");
  chat.keys("Escape");
  await chat.gone("find  needle");

  chat.keys("C-r");
  chat.type("smthng");
  await chat.seen("say something long");
  chat.keys("Enter");
  await chat.seen("❯ say something long");
  chat.keys("C-u");

  chat.type("/model list");
  chat.keys("Enter");
  await chat.seen(/scripted\s+Scripted/);
  chat.type("/model select");
  chat.keys("Enter");
  await chat.seen("choose a model");
  chat.keys("Enter");
  await chat.seen(/· scripted\s*\n/);
  chat.type("/model refresh");
  chat.keys("Enter");
  await chat.seen("1 model.");
  chat.type("/model");
  chat.keys("Escape");
  chat.type(" ");
  chat.keys("Enter");
  await chat.seen("Model: scripted");

  chat.type("/mcp");
  chat.keys("Escape");
  chat.type(" ");
  chat.keys("Enter");
  await chat.seen("can't list its tool servers (MCP)");
  chat.keys("Escape");
  await chat.gone("can't list its tool servers (MCP)");
  chat.type("/help compact");
  chat.keys("Enter");
  await chat.seen("/compact [focus-instructions]");
  chat.keys("Escape");
  await chat.gone("/compact [focus-instructions]");
  chat.type("/compact keep the needle");
  chat.keys("Enter");
  expect(await chat.seen(/\^O shows the\s+summary/)).toContain("from 5010 to 0 tokens. Focus: keep the needle");
  chat.keys("C-o");
  await chat.gone("^O shows the");
  chat.keys("C-f");
  chat.type("What was said");
  await chat.seen("What was said so far:");
});

test.skipIf(tmuxProgram === null)("/mcp says why an agent has no servers to list or switch", async () => {
  const chat = open();
  await chat.seen("? keys");
  for (const line of ["/mcp", "/mcp enable files", "/mcp disable files"]) {
    chat.type(`${line} `);
    await chat.seen(`❯ ${line}`);
    chat.keys("Enter");
    await chat.gone(`❯ ${line}`);
    const said = await chat.seen("its steps are all it can do");
    expect(said.replaceAll(/\s+/g, " ")).toContain("can't list its tool servers (MCP) and switch them on and off");
    chat.keys("Escape");
    await chat.gone("its steps are all it can do");
  }
  chat.type("/mcp start files");
  await chat.seen("❯ /mcp start files");
  chat.keys("Enter");
  await chat.seen("/mcp enable SERVER and /mcp disable SERVER");
});

test.skipIf(tmuxProgram === null)("a skill says that it is loaded; a sub-agent takes its task", async () => {
  const chat = open();
  await chat.seen("? keys");
  chat.type("/greet Ada");
  chat.keys("Enter");
  expect(await chat.seen("Hello Ada.")).toContain("Skill loaded: greet");
  chat.type("/debugger Fix it");
  chat.keys("Enter");
  await chat.seen("Debugged.");
});

test.skipIf(tmuxProgram === null)("a paused run is chosen from a list and resumed", async () => {
  const chat = open();
  await chat.seen("? keys");
  chat.type("/resume ");
  chat.keys("Enter");
  await chat.seen("No run of this folder can be resumed.");
  chat.type("/slow now");
  chat.keys("Enter");
  await chat.seen("Workflow Progress: Waiting for the file");
  chat.keys("Escape");
  expect(await chat.seen("Paused")).toMatch(/Resume with: \/slow --resume [0-9a-f-]{36}/);
  world.write("project/go", "");
  chat.type("/resume ");
  chat.keys("Enter");
  await chat.seen("resume a run");
  chat.keys("Enter");
  await chat.seen("slow workflow completed successfully.");
});
