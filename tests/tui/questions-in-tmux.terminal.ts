// Questions answered at the chat screen, in tmux with the real program, and the answer that is on record afterwards.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const skip = test.skipIf(tmuxProgram === null);

async function openChat() {
  const world = createCliWorld();
  const script = world.script("chat", [
    {
      match: "colour",
      steps: [
        { ask: { question: "Which colour?", options: ["red", "blue"], freeText: false }, as: "colour" },
        { say: "You chose [${colour}]." },
      ],
    },
    { steps: [{ say: "Hello." }] },
  ]);
  world.workflow(
    "regions",
    `import { askUserNode, graph } from "atomic/workflows";
export const name = "regions";
export const description = "Asks where";
export const prompt = "none";
const options = [{ label: "eu", description: "in Europe" }, { label: "us" }, { label: "asia" }];
export default () => graph().start(askUserNode({ id: "where", question: "Where?", options, multiSelect: true }));
`,
  );
  const chat = createTmux(world).open([world.program, "chat", "--script", script]);
  await chat.seen("? keys");
  return { world, chat };
}

type World = Awaited<ReturnType<typeof openChat>>["world"];

async function runOf(world: World, workflow: string): Promise<string> {
  const { stdout } = await world.run(["sessions", "--json"]);
  const runs = JSON.parse(stdout) as readonly { readonly id: string; readonly workflow: string }[];
  return runs.find((run) => run.workflow === workflow)?.id ?? "";
}

skip("number keys choose several options and take one back; what is recorded is what was chosen", async () => {
  const { world, chat } = await openChat();
  chat.type("/regions ");
  chat.keys("Enter");
  await chat.seen("? Where?");
  chat.keys("Tab");
  await chat.seen("enter answers");
  expect(chat.frame()).toContain("1 [ ] eu  in Europe");
  chat.type("1");
  await chat.seen("1 [x] eu");
  chat.type("2");
  await chat.seen("2 [x] us");
  chat.type("3");
  await chat.seen("3 [x] asia");
  chat.type("2");
  await chat.seen("2 [ ] us");
  expect(chat.frame()).toMatch(/1 \[x\] eu[\s\S]*3 \[x\] asia/);
  chat.keys("Enter");
  await chat.seen("regions workflow completed successfully.");

  const id = await runOf(world, "regions");
  const shown = await world.run(["sessions", "logs", id, "--json"]);
  expect(shown.events().find(({ type }) => type === "question.answered")).toMatchObject({ answer: ["eu", "asia"] });
});

skip("a question is declined: the agent is told so, and the record says so", async () => {
  const { world, chat } = await openChat();
  chat.type("pick a colour");
  chat.keys("Enter");
  await chat.seen("? Which colour?");
  chat.keys("Tab");
  await chat.seen("enter answers");
  chat.keys("Up");
  await chat.seen("❯ decline");
  chat.keys("Enter");
  await chat.seen("You chose [].");
  expect(chat.frame()).toContain("declined");
  chat.type("/exit ");
  chat.keys("Enter");
  await chat.seen("EXIT=0");

  const logs = await world.run(["sessions", "logs", world.onlyRun(), "--json"]);
  expect(logs.events().find(({ type }) => type === "question.answered")).toMatchObject({ answer: null });
  const continued = await world.run(["chat", "--plain", "--resume", world.onlyRun()]);
  expect(continued.stderr).toContain("[question declined]");
});

skip("a workflow's question that is declined stays open, and the run pauses until it is answered", async () => {
  const { world, chat } = await openChat();
  chat.type("/regions ");
  chat.keys("Enter");
  await chat.seen("? Where?");
  chat.keys("Tab");
  await chat.seen("enter answers");
  chat.keys("Up");
  await chat.seen("❯ decline");
  chat.keys("Enter");
  await chat.seen(/Resume with: \/regions --resume/);

  const id = await runOf(world, "regions");
  expect((await world.run(["sessions", "show", id])).stdout).toContain("Where?");
  expect((await world.run(["answer", id, "us"])).stdout).toContain('Saved the answer to "Where?".');
});
