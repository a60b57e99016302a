// Every member that the documents give to a CommandContext, in the real program (docs/decisions/129-command-context.md).

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const both = (name: string): object => ({
  agent: name,
  steps: [
    // Each waits for the other: one after the other would never end.
    { bash: `touch ${name}; until [ -e debugger ] && [ -e planner ]; do sleep 0.05; done` },
    { say: `${name} has looked.` },
  ],
});

test.skipIf(tmuxProgram === null)("what a CommandContext could do, a chat does", async () => {
  const world = createCliWorld();
  const script = world.script("chat", [
    both("debugger"),
    both("planner"),
    { match: "The secret text", steps: [{ say: "I was asked silently." }] },
    { match: "wait", steps: [{ bash: "until [ -e go ]; do sleep 0.05; done" }, { say: "It went." }] },
    { match: "remember", remembers: "zebra", steps: [{ say: "It was zebra." }] },
    { match: "remember", steps: [{ say: "I know nothing." }] },
    { steps: [{ say: "Hello." }] },
  ]);
  world.write(
    "project/.claude/skills/quiet/SKILL.md",
    "---\nname: quiet\ndescription: Asks\n---\nThe secret text $ARGUMENTS",
  );
  world.workflow(
    "steps",
    `import { askUserNode, createNode, graph, annotation, Reducers } from "atomic/workflows";
export const name = "steps";
export const description = "Asks, and writes a state";
export const prompt = "none";
export const nodeDescriptions = { begin: "Beginning the work" };
const tasks = [{ id: "1", title: "first task", status: "pending" }];
export default () => graph({ log: annotation<string[]>([], Reducers.concat) })
  .start(createNode({ id: "begin", execute: async () => ({ stateUpdate: { log: ["begun"], tasks } }) }))
  .then(askUserNode({ id: "name", question: "What is your name?" }))
  .then(createNode({ id: "finish", execute: async () => ({ stateUpdate: { log: ["finished"] } }) }));
`,
  );
  const chat = createTmux(world).open([world.program, "chat", "--script", script], { columns: 110 });
  const say = (line: string): void => {
    chat.type(line);
    chat.keys("Enter");
  };
  // agentType
  expect(await chat.seen("? keys")).toContain("scripted");

  // sendMessage; state.isStreaming and setStreaming; streamAndWait: the queued one goes when the first has ended.
  say("the word is zebra, and wait");
  await chat.seen(/running bash +Esc stop/);
  say("do you remember");
  await chat.seen("queued  1 do you remember");
  world.write("project/go", "");
  // session: one for both.
  expect(await chat.seen("It was zebra.")).toContain("It went.");

  // sendSilentMessage: the agent gets the skill's text, the person sees their own.
  say("/quiet please");
  expect(await chat.seen("I was asked silently.")).not.toContain("The secret text");
  expect(chat.frame()).toContain("Skill loaded: quiet");

  // modelOps
  say("/model other");
  await chat.seen(/· other\s*\n/);

  // spawnSubagent, spawnSubagentParallel
  say("@debugger @planner look at it");
  await chat.seen(/✓ └ debugger/);
  // The model of the chat stays its own.
  expect(await chat.seen(/✓ └ planner/)).toMatch(/· other\s*\n/);
  expect([existsSync(`${world.project}/debugger`), existsSync(`${world.project}/planner`)]).toEqual([true, true]);

  // addMessage, setWorkflowSessionId; waitForUserInput
  chat.type("/steps");
  chat.keys("Space", "Enter");
  await chat.seen("Workflow Progress: Beginning the work");
  const [, id = ""] = /Started Steps session: ([0-9a-f-]+)/.exec(await chat.seen("? What is your name?")) ?? [];
  chat.keys("Tab");
  await chat.seen("enter answers");
  chat.type("Ada");
  chat.keys("Enter");
  await chat.seen("steps workflow completed successfully.");
  // setWorkflowSessionDir
  expect(existsSync((await world.run(["sessions", "path", id])).stdout.trim())).toBe(true);
  // setTodoItems, setWorkflowTaskIds
  chat.keys("C-t");
  await chat.seen("first task");
  chat.keys("C-t");
  // updateWorkflowState: combined by its reducer.
  await chat.seen("◀");
  chat.keys("Enter");
  await chat.seen("prompt");
  chat.keys("Right", "Right", "Right", "Right");
  expect(await chat.seen(/log +by finish#1/)).toMatch(/"begun",[^"]*"finished"/);
  chat.keys("F2");

  // clearContext
  await chat.seen("steps workflow completed successfully.");
  say("/clear");
  await chat.gone("steps workflow completed successfully.");
  say("do you remember");
  await chat.seen("I know nothing.");
});
