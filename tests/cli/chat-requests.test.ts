// A chat that is open in one process, answered, paused and cancelled from another.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const turns = [
  {
    match: "colour",
    steps: [
      { ask: { question: "Which colour?", options: ["red", "blue"], freeText: false }, as: "colour" },
      { say: "You chose ${colour}." },
    ],
  },
  { match: "hang", steps: [{ say: "Half a sentence" }, { bash: "echo started > hanging" }, { hang: true }] },
  { steps: [{ say: "Hello." }] },
];

function makeWorld() {
  const world = createCliWorld();
  const script = world.script("chat", turns);
  const chat = (...words: readonly string[]) =>
    world.start(["chat", "--plain", "--script", script, ...words], { stdin: "pipe" });
  return { ...world, chat };
}

/** What `sessions show` says of its questions, as soon as there is one. */
async function asks(world: ReturnType<typeof makeWorld>, id: string): Promise<string> {
  for (;;) {
    const { stdout } = await world.run(["sessions", "show", id]);
    if (stdout.includes("Which colour?")) return stdout;
  }
}

test("a question of a chat is listed, and answered from another process", async () => {
  const world = makeWorld();
  const chat = world.chat();
  chat.type("pick a colour");
  await chat.seen("Which colour?");
  const id = world.onlyRun();

  expect(await asks(world, id)).toContain(`atomic answer ${id} --question`);
  const refused = await world.run(["answer", id, "green"]);
  expect(refused.stderr).toContain('"green" is not an option. Choose red or blue.');
  const answered = await world.run(["answer", id, "2"]);
  expect(answered.stdout).toBe('Answered "Which colour?".\n');
  await chat.seen("You chose blue.");
  expect((await world.run(["answer", id, "red"])).stderr).toContain("has no open questions");

  // The next line is a message again.
  chat.type("hi");
  await chat.seen("Hello.");
  chat.end();
  expect((await chat.ended).exitCode).toBe(0);
});

test("a question is declined from another process", async () => {
  const world = makeWorld();
  const chat = world.chat();
  chat.type("pick a colour");
  await chat.seen("Which colour?");

  expect((await world.run(["answer", world.onlyRun(), "--decline"])).stdout).toBe('Declined "Which colour?".\n');
  await chat.seen("[question declined]");
  chat.end();
  expect((await chat.ended).exitCode).toBe(0);
});

test("a chat is paused from another process: its turn stops, and it can be continued elsewhere", async () => {
  const world = makeWorld();
  const chat = world.chat();
  chat.type("please hang");
  await poll(() => (Bun.file(`${world.project}/hanging`).size > 0 ? true : undefined));
  const id = world.onlyRun();
  const paused = await world.run(["pause", id]);

  expect(paused.stdout).toBe(`Paused Chat session: ${id}\nContinue with: atomic chat --resume ${id}\n`);
  const { exitCode, stderr } = await chat.ended;
  expect(stderr).toContain("Paused from another process.");
  expect(exitCode).toBe(3);
  const again = world.chat("--resume", id);
  again.type("hi");
  again.end();
  expect((await again.ended).stdout).toContain("Hello.");
});

test("a chat that is open is cancelled from another process", async () => {
  const world = makeWorld();
  const chat = world.chat();
  chat.type("please hang");
  await poll(() => (Bun.file(`${world.project}/hanging`).size > 0 ? true : undefined));

  expect((await world.run(["cancel", world.onlyRun()])).exitCode).toBe(0);
  expect((await chat.ended).exitCode).toBe(3);
});

test("a question that a killed chat left can't be answered, and is gone when the chat is continued", async () => {
  const world = makeWorld();
  const chat = world.chat();
  chat.type("pick a colour");
  await chat.seen("Which colour?");
  const id = world.onlyRun();
  await asks(world, id);
  chat.signal("SIGKILL");
  await chat.ended;

  expect((await world.run(["answer", id, "red"])).stderr).toContain(`Continue it with: atomic chat --resume ${id}`);
  const again = world.chat("--resume", id);
  again.type("hi");
  await again.seen("Hello.");
  expect((await world.run(["sessions", "show", id])).stdout).not.toContain("Which colour?\n");
  again.end();
  await again.ended;
});
