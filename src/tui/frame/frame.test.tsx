/** @jsxImportSource @opentui/react */
// The way between the screens, and the list of runs, in a virtual terminal.

import { afterEach, expect, test } from "bun:test";
import { type ChatView, emptyChat } from "../../chat/chat-view.ts";
import type { ChatPort } from "../chat/chat-port.ts";
import { fakeChatPort } from "../chat/fake-chat-port.ts";
import { createKeyTables } from "../keys/key-table.ts";
import type { RunRow, RunsPort } from "../runs/runs-port.ts";
import { themes } from "../theme.ts";
import { Frame } from "./frame.tsx";
import { openVirtualTerminal, type VirtualTerminal } from "./virtual-terminal.ts";

let terminal: VirtualTerminal | undefined;
afterEach(() => {
  terminal?.close();
  terminal = undefined;
});

const now = 1_700_000_000_000;
const view: ChatView = emptyChat({
  id: "c",
  cwd: "/projects/parser",
  agent: "claude",
  model: "opus",
  isProjectTrusted: true,
});

function chatPort(): ChatPort {
  return fakeChatPort(view, { place: "main", now: () => now }).port;
}

const question = {
  id: "q",
  text: "Which colour should the button have?",
  node: "work",
  key: "work#1",
  options: [{ label: "red" }, { label: "blue" }],
  multiSelect: false,
  freeText: false,
};
const runs: readonly RunRow[] = [
  row("b2c3d4e5-1", { prompt: "日本語のタスクを直す", status: "running", cwd: "/projects/ウェブ" }),
  row("a1b2c3d4-1", { status: "paused", reason: "needs-human", questions: [question] }),
  row("c3d4e5f6-1", { status: "failed", message: "2 of 7 tasks are\x1b[2J not done\u202E" }),
  row("d4e5f6a7-1", { workflow: "release", prompt: "", updatedAt: now - 90_000_000 }),
];

function row(id: string, more: Partial<RunRow>): RunRow {
  return {
    id,
    workflow: "ralph",
    status: "completed",
    agent: "claude",
    prompt: "add a retry to the fetcher",
    cwd: "/projects/parser",
    updatedAt: now - 125_000,
    tasks: { completed: 3, total: 7 },
    totals: { costUsd: 1.92 },
    questions: [],
    ...more,
  };
}

async function open(size: { width: number; height: number }, theme: keyof typeof themes = "dark", all = runs) {
  const port: RunsPort = { list: async () => ({ runs: all, left: 0 }), now: () => now };
  let hasLeft = false;
  terminal = await openVirtualTerminal(
    <Frame
      chat={chatPort()}
      runs={port}
      tables={createKeyTables()}
      theme={themes[theme]}
      highlighting={Promise.resolve(false)}
      onExit={() => (hasLeft = true)}
    />,
    size,
  );
  return { ...terminal, hasLeft: () => hasLeft };
}

for (const size of [
  { width: 60, height: 15 },
  { width: 120, height: 40 },
])
  for (const theme of ["dark", "light", "none"] as const)
    test(`runs at ${size.width}×${size.height}, ${theme}: those that need a person first, one line each`, async () => {
      const { press, until } = await open(size, theme);
      await press("f4");
      const frame = await until((shown) => shown.includes("asks you"));

      expect(frame).toMatchSnapshot();
      const [first, second, third] = frame.split("\n").slice(2);
      expect(first).toContain("❯ ? ralph");
      expect(second).toContain("✗ ralph");
      expect(third).toContain("◐ ralph");
      expect(frame).not.toContain("\x1b");
    });

test("Shift+Tab goes round, function keys go straight, and the chat keeps its draft", async () => {
  const { press, type, frame, until } = await open({ width: 80, height: 20 });
  await type("a draft");
  await press("shift+tab");
  await until((shown) => shown.includes("asks you"));
  expect(frame()).not.toContain("a draft");
  await type("x");
  await press("f2");
  expect(frame()).toContain("❯ a draft");
  await press("f4");
  await until((shown) => shown.includes("asks you"));
  await press("escape");
  expect(frame()).toContain("❯ a draft");
});

test("the list is filtered by words, and says when none matches", async () => {
  const { press, type, frame, until } = await open({ width: 100, height: 20 });
  await press("f4");
  await until((shown) => shown.includes("asks you"));
  await type("/release");
  expect(frame()).toContain("filter release▏");
  expect(frame()).not.toContain("asks you");
  await type("zzz");
  expect(frame()).toContain("No run matches.");
  await press("escape");
  expect(frame()).toContain("asks you");
});

test("? lists the keys of the list of runs, from the table that binds them", async () => {
  const { press, type, frame, until } = await open({ width: 100, height: 30 });
  await press("f4");
  await until((shown) => shown.includes("asks you"));
  await type("?");

  expect(frame()).toContain("filter by what you type");
  expect(frame()).toContain("F4");
  await press("escape");
  expect(frame()).not.toContain("filter by what you type");
});

test("Ctrl+C twice leaves from the list of runs too", async () => {
  const { press, frame, hasLeft, until } = await open({ width: 100, height: 20 });
  await press("f4");
  await until((shown) => shown.includes("asks you"));
  await press("c", { ctrl: true });
  expect(frame()).toContain("once more leaves Atomic");
  expect(hasLeft()).toBe(false);
  await press("c", { ctrl: true });
  expect(hasLeft()).toBe(true);
});
