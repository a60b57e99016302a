/** @jsxImportSource @opentui/react */
// Frames of the chat screen in a virtual terminal, per state, theme and size. The conversation is plain values.

import { afterEach, expect, test } from "bun:test";
import { testRender } from "@opentui/react/test-utils";
import { act } from "react";
import { type ChatBlock, type ChatView, emptyChat } from "../../chat/chat-view.ts";
import { createKeyTables } from "../keys/key-table.ts";
import { themes } from "../theme.ts";
import { fakeChatPort } from "../../../tests/support/tui/fake-chat-port.ts";
import { ChatScreen } from "./chat-screen.tsx";

type Screen = Awaited<ReturnType<typeof testRender>>;
let screen: Screen | undefined;
afterEach(() => {
  expectActs(true);
  act(() => screen?.renderer.destroy());
  screen = undefined;
});

const blocks: readonly ChatBlock[] = [
  { kind: "person", id: "1", text: "add a retry to the fetcher" },
  { kind: "thought", id: "2", text: "The fetcher fails in two ways." },
  { kind: "said", id: "3", text: "I'll look at how it fails first." },
  {
    kind: "tool",
    id: "4",
    name: "Read",
    title: "src/fetch.ts",
    state: "ok",
    output: "const a = 1;",
    startedAt: 0,
    ms: 200,
  },
  {
    kind: "tool",
    id: "5",
    name: "Edit",
    title: "src/fetch.ts",
    state: "ok",
    output: "- old\n+ new",
    startedAt: 0,
    ms: 90,
    added: 12,
    removed: 4,
  },
];

const base: ChatView = {
  ...emptyChat({ id: "c", cwd: "/projects/parser", agent: "claude", model: "opus", isProjectTrusted: true }),
  blocks,
  costUsd: 0.38,
  workedMs: 130_000,
  context: { used: 82_000, max: 200_000 },
};
const running: ChatView = {
  ...base,
  turn: { id: "t", startedAt: 0, phase: "working" },
  live: [
    {
      kind: "tool",
      id: "6",
      name: "Bash",
      title: "npm test -- fetch",
      state: "running",
      output: "14 passed\n",
      startedAt: 0,
    },
  ],
  queue: [
    { id: "a", line: "also log the attempt" },
    { id: "b", line: "/commit" },
  ],
};

async function show(view: ChatView, size: { width: number; height: number }, theme: keyof typeof themes = "dark") {
  const submitted: string[] = [];
  const chat = fakeChatPort(view, {
    submit: async (line) => {
      submitted.push(line);
      return { success: true, message: line === "/help" ? "Slash Commands\n  /help  Show" : undefined };
    },
    completion: {
      commands: (query) =>
        "ralph".startsWith(query)
          ? [
              {
                insert: "/ralph",
                name: "/ralph",
                hint: "--yolo <prompt> | --resume <session-id>",
                description: "Plan, build, check",
                category: "workflow",
              },
            ]
          : [],
      command: () => undefined,
      paths: () => [],
    },
  });
  const table = createKeyTables().chat;
  // Without highlighting: frames don't wait for a worker.
  const highlighting = Promise.resolve(false);
  const made = await testRender(
    <ChatScreen
      port={chat.port}
      table={table}
      theme={themes[theme]}
      highlighting={highlighting}
      onExit={() => undefined}
    />,
    size,
  );
  screen = made;
  expectActs(false);
  await settle(made);
  return {
    made,
    submitted,
    frame: () => made.captureCharFrame(),
    async type(text: string) {
      await acting(async () => made.mockInput.typeText(text));
      await settle(made);
    },
    async press(key: "tab" | "enter" | "escape") {
      const { mockInput } = made;
      const press = { tab: mockInput.pressTab, enter: mockInput.pressEnter, escape: mockInput.pressEscape }[key];
      await acting(async () => press());
      await settle(made);
    },
    async change(next: ChatView) {
      await acting(async () => {
        chat.show(next);
      });
      await until(made, () => true, 40);
    },
  };
}

/** Only what a test does itself is an act. The screen's own timers fire in between, as they do for a user. */
async function acting(body: () => Promise<unknown>): Promise<void> {
  expectActs(true);
  await act(async () => void (await body()));
  expectActs(false);
}

/** Whether React warns of a change outside an act. */
function expectActs(isExpected: boolean): void {
  Reflect.set(globalThis, "IS_REACT_ACT_ENVIRONMENT", isExpected);
}

/** Draws until two frames are alike. */
async function settle(made: Screen): Promise<void> {
  for (let before = ""; ;) {
    await acting(async () => made.renderOnce());
    const now = made.captureCharFrame();
    if (now === before) return;
    before = now;
  }
}

/** Draws until it is so, by the clock. */
async function until(made: Screen, isSo: (frame: string) => boolean, minMs = 0): Promise<string> {
  const began = Date.now();
  for (;;) {
    await acting(async () => made.renderOnce());
    const frame = made.captureCharFrame();
    if (Date.now() - began >= minMs && isSo(frame)) return frame;
    if (Date.now() - began > 5000) throw new Error(`it was not shown:\n${frame}`);
    await Bun.sleep(5);
  }
}

const sizes = [
  { width: 60, height: 15 },
  { width: 120, height: 40 },
];

test("a long name of the agent keeps its distance from the branch, and is shortened", async () => {
  const { frame } = await show(
    { ...base, agent: "scripted (no model; plays welcome.json)", model: "scripted" },
    { width: 60, height: 15 },
  );

  expect(frame().split("\n")[0]).toBe(" parser  main ±3  scripted (no model; plays welcome.json) … ");
});

test("a long command is shortened, and what is right of it stays", async () => {
  const title = `cd /projects/parser && ${"npm test -- fetch && ".repeat(12)}true`;
  const { frame } = await show(
    {
      ...running,
      live: [
        { kind: "tool", id: "6", name: "Bash", title, state: "running", output: "", startedAt: 0 },
        {
          kind: "subagent",
          id: "7",
          name: "debugger",
          task: "",
          state: "running",
          text: `Bash ${title}`,
          tools: 1,
          isBackground: false,
          startedAt: 0,
        },
      ],
    },
    { width: 60, height: 15 },
  );

  expect(frame()).toMatch(/◐ Bash  cd .* \d[\dhms.]+ *$/m);
  expect(frame()).toMatch(/◐ └ debugger  Bash cd .* 1 tool  \d[\dhms.]+ *$/m);
});

test("a sub-agent in the background is distinguished from one that is waited for", async () => {
  const subagent = (id: string, name: string, isBackground: boolean): ChatBlock => ({
    kind: "subagent",
    id,
    name,
    task: "looks",
    state: "running",
    text: "",
    tools: 0,
    isBackground,
    startedAt: 0,
  });
  const live = [subagent("1", "debugger", false), subagent("2", "locator", true)];
  const { frame } = await show({ ...running, live }, { width: 60, height: 15 });

  expect(frame()).toMatch(/└ debugger {2}looks/);
  expect(frame()).toMatch(/└ locator {2}in the background {2}looks/);
});

for (const size of sizes) {
  for (const theme of ["dark", "light", "none"] as const) {
    test(`a turn with tools, a queue and costs at ${size.width}×${size.height}, ${theme}`, async () => {
      const { frame } = await show(running, size, theme);

      expect(frame()).toMatchSnapshot();
    });
  }

  test(`suggestions at ${size.width}×${size.height} have a name of 20, a cut hint of 25 and a description`, async () => {
    const { frame, type } = await show(base, size);
    await type("/ra");

    expect(frame()).toContain("  /ralph              --yolo <prompt> | --...  Plan, build,");
    expect(frame()).toMatchSnapshot();
  });

  test(`a question at ${size.width}×${size.height} waits above the input until it has the focus`, async () => {
    const item = {
      text: "Which colour?",
      options: [{ label: "red" }, { label: "blue" }],
      isMultiple: false,
      isFreeText: true,
    };
    const asking: ChatView = {
      ...base,
      turn: { id: "t", startedAt: 0, phase: "asking" },
      questions: [{ id: "q", items: [item] }],
    };
    const { frame, press } = await show(asking, size);

    expect(frame()).toContain("tab to answer");
    await press("tab");
    expect(frame()).toContain("❯ 1 red");
    expect(frame()).toMatchSnapshot();
  });
}

test("no colour means none: every cell has the terminal's own colours", async () => {
  const { made } = await show(running, { width: 60, height: 15 }, "none");
  const spans = made.captureSpans().lines.flatMap(({ spans }) => spans);

  const written = spans.filter(({ text }) => text.trim() !== "");
  expect(written.length).toBeGreaterThan(10);
  for (const { fg, bg } of written) expect([fg.intent, bg.intent]).toEqual(["default", "default"]);
});

test("controls, escapes and bidi marks of any name are shown as signs", async () => {
  const nasty: ChatView = {
    ...base,
    agent: "cl\x1b]0;title\x07aude",
    blocks: [
      { kind: "person", id: "1", text: "before\x1b[31mred\u202Eevil" },
      { kind: "tool", id: "2", name: "B\x07ash", title: "ls\x1b[2J", state: "ok", output: "", startedAt: 0, ms: 1 },
    ],
  };
  const { frame } = await show(nasty, { width: 120, height: 40 });

  expect(frame()).toContain("before␛[31mred\u{fffd}evil");
  expect(frame()).toContain("B␇ash  ls␛[2J");
  expect(frame()).toContain("cl␛]0;title␇aude");
});

test("thinking and output are folded until they are opened", async () => {
  const { frame, made } = await show(base, { width: 120, height: 40 });

  expect(frame()).toContain("∴ thinking");
  expect(frame()).not.toContain("fails in two ways");
  await acting(async () => made.mockInput.pressKey("o", { ctrl: true }));
  await settle(made);
  expect(frame()).toContain("The fetcher fails in two ways.");
  expect(frame()).toContain("+ new");
});

test("scrolling up stops following; what came is counted, and Ctrl+End returns", async () => {
  const many = Array.from({ length: 40 }, (_, i): ChatBlock => ({
    kind: "notice",
    id: `n${i}`,
    level: "info",
    text: `note ${i}`,
  }));
  const { frame, made, change } = await show({ ...base, blocks: many }, { width: 60, height: 15 });
  expect(frame()).toContain("note 39");
  await acting(async () => made.mockInput.pressKey("\x1b[5~"));
  await settle(made);
  await change({ ...base, blocks: [...many, ...blocks.slice(0, 3)] });
  await until(made, (shown) => shown.includes("3 new ↓"));

  expect(frame()).not.toContain("I'll look at how it fails first.");
  await acting(async () => made.mockInput.pressKey("\x1b[1;5F"));
  await until(made, (shown) => shown.includes("I'll look at how it fails first."));
});

test("a text of several lines that a command answers lies over the chat until it is closed", async () => {
  const { frame, type, press, submitted } = await show(base, { width: 60, height: 15 });
  await type("/help");
  await press("enter");

  expect(submitted).toEqual(["/help"]);
  expect(frame()).toContain("Slash Commands");
  await press("escape");
  await until(screen as Screen, (shown) => !shown.includes("Slash Commands"));
});

test("the keys are listed with room between a key and what it does", async () => {
  const { frame, type } = await show(base, { width: 120, height: 40 });
  await type("?");

  expect(frame()).toMatch(/Alt\+Enter \^J Shift\+Enter {2,}new line/);
});

test("a resize while the agent writes keeps the input and the newest text", async () => {
  const { made } = await show(running, { width: 120, height: 40 });
  await acting(async () => made.resize(60, 15));
  const frame = await until(made, (shown) => shown.split("\n")[0]?.length === 60);

  expect(frame).toContain("Bash  npm test");
  expect(frame).toContain("❯");
});
