// Workflows inside a chat, through the real program: started by a slash, with their texts, questions, pause and resume.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

function makeWorld() {
  const world = createCliWorld();
  world.workflow(
    "greet",
    `import { agentNode, askUserNode, graph } from "atomic/workflows";
export const name = "greet";
export const description = "Asks, then greets";
export const nodeDescriptions = { who: "Finding out who", greet: "Greeting" };
export default () => graph()
  .start(askUserNode({ id: "who", question: "Who?", options: ["Ann", "Ben"] }))
  .then(agentNode({ id: "greet", prompt: (state) => "greet " + state.outputs.who }));
`,
  );
  const script = world.script("chat", [
    { match: "^greet", steps: [{ say: "Hello there." }] },
    {
      match: "slowly",
      steps: [{ bash: "echo x >> started; until [ -e go ]; do sleep 0.05; done" }, { say: "done\nCOMPLETE" }],
    },
    { match: "quick", steps: [{ say: "all good\nCOMPLETE" }] },
    { steps: [{ say: "Chatting." }] },
  ]);
  const start = (...words: readonly string[]) =>
    world.start(["chat", "--plain", "--script", script, ...words], { stdin: "pipe" });
  return { ...world, open: start };
}

test("a workflow starts by its slash command, asks in the chat, and says how it goes", async () => {
  const world = makeWorld();
  const live = world.open();
  live.type("/greet say hello");
  await live.seen("Question: Who?");
  live.type("2");
  live.type("and now?");
  live.end();
  const { stdout, stderr, exitCode } = await live.ended;

  expect(stdout.replace(/: [0-9a-f-]{36}/, ": ID")).toBe(
    [
      "Starting **greet** workflow...",
      "Started Greet session: ID",
      "**Workflow Progress:** Finding out who",
      "**Workflow Progress:** Greeting",
      "Hello there.",
      "**greet** workflow completed successfully.",
      "Chatting.",
      "",
    ].join("\n"),
  );
  expect(stderr).toContain("> /greet say hello");
  expect(exitCode).toBe(0);
  const { stdout: sessions } = await world.run(["sessions"]);
  expect(sessions).toMatch(/completed\s+greet/);
  expect(sessions).toMatch(/paused\s+chat/);
});

test("a missing prompt and a wrong option are refused with the workflow's own words", async () => {
  const live = makeWorld().open();
  live.type("/greet");
  live.type("/ralph --yolo");
  live.end();
  const { stderr } = await live.ended;

  expect(stderr).toContain("Please provide a prompt for the greet workflow.");
  expect(stderr).toContain('Yolo mode requires a prompt. Use: /ralph --yolo "your task"');
});

test("Ctrl+C pauses a workflow, and /ralph --resume resumes it in the same chat", async () => {
  const world = makeWorld();
  const live = world.open('/ralph --yolo "go slowly"');
  await live.seen("**Workflow Progress:**");
  await live.seen("[running] sub-agent");
  live.signal("SIGINT");
  const text = await live.seen(/Resume with: \/ralph --resume [0-9a-f-]{36}/);
  const id = /--resume ([0-9a-f-]{36})/.exec(text)?.[1] ?? "";
  world.write("project/go", "");
  live.type(`/ralph --resume ${id}`);
  live.end();
  const { stdout, exitCode } = await live.ended;

  expect(text).toContain(`Paused Ralph session: ${id}`);
  expect(stdout).toEndWith("**ralph** workflow completed successfully.\n");
  expect(exitCode).toBe(0);
});

test("a workflow without a graph is a prompt in the chat's own session", async () => {
  const world = makeWorld();
  world.workflow("note", `export const name = "note";\nexport const description = "A prompt";\n`);
  const live = world.open("/note remember this");
  live.end();
  const { stdout } = await live.ended;
  const { stdout: sessions } = await world.run(["sessions"]);

  expect(stdout).toBe("Starting **note** workflow...\nChatting.\n");
  expect(sessions).not.toMatch(/completed/);
});
