/** @jsxImportSource @opentui/react */
// The way between the screens, and the list of runs, in a virtual terminal.

import { afterEach, expect, test } from "bun:test";
import { type ChatView, emptyChat } from "../../chat/chat-view.ts";
import type { ChatPort } from "../chat/chat-port.ts";
import { fakeChatPort } from "../../../tests/support/tui/fake-chat-port.ts";
import { createKeyTables } from "../keys/key-table.ts";
import { sampleNow, type SamplePort, samplePort } from "../../../tests/support/tui/sample-port.ts";
import type { TrustChoice, TrustPort } from "../trust/trust-port.ts";
import { themes } from "../theme.ts";
import { Frame } from "./frame.tsx";
import { openVirtualTerminal, type VirtualTerminal } from "../../../tests/support/tui/virtual-terminal.ts";

let terminal: VirtualTerminal | undefined;
afterEach(() => {
  terminal?.close();
  terminal = undefined;
});

const now = sampleNow;
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

async function open(
  size: { width: number; height: number },
  theme: keyof typeof themes = "dark",
  port: SamplePort = samplePort(),
  trust: TrustPort = { waiting: undefined, onChange: () => () => undefined },
) {
  let hasLeft = false;
  terminal = await openVirtualTerminal(
    <Frame
      chat={chatPort()}
      runs={port}
      trust={trust}
      tables={createKeyTables()}
      theme={themes[theme]}
      highlighting={Promise.resolve(false)}
      onExit={() => (hasLeft = true)}
    />,
    size,
  );
  return { ...terminal, port, hasLeft: () => hasLeft };
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
  await until((shown) => shown.includes("◉ work"));
  await press("shift+tab");
  await until((shown) => shown.includes("asks you"));
  expect(frame()).not.toContain("a draft");
  await type("z");
  await press("f2");
  expect(frame()).toContain("❯ a draft");
  await press("f4");
  await until((shown) => shown.includes("asks you"));
  await press("escape");
  expect(frame()).toContain("❯ a draft");
});

test("Ctrl+T shows the tasks from any screen", async () => {
  const { press, until } = await open({ width: 100, height: 20 });
  await press("t", { ctrl: true });
  await until((shown) => shown.includes("needs 3, 4") && shown.includes("in progress"));
  await press("t", { ctrl: true });
  await until((shown) => shown.includes("◉ work"));
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

test.each([60, 80])("keys at %i columns are explained to the last word, on every screen", async (width) => {
  const { press, until, frame } = await open({ width, height: 60 });
  for (const screen of ["f2", "f3", "f4", "f5"]) {
    await press(screen);
    await press("f1");
    await until((shown) => shown.includes("─ keys"));
    expect(
      frame()
        .split("\n")
        .filter((line) => line.startsWith("  │")),
    ).not.toContainEqual(expect.stringContaining("…"));
    await press("escape");
    await until((shown) => !shown.includes("─ keys"));
  }
});

test("F5 and F3 show the run that was chosen in the list", async () => {
  const { press, until } = await open({ width: 100, height: 20 });
  await press("f3");
  await until((shown) => shown.includes("◉ work"));
  await press("f4");
  await until((shown) => shown.includes("asks you"));
  await press("down");
  await press("down");
  await press("f5");
  await until((shown) => shown.includes("evidence b2c3d4e5"));
  await press("f4");
  await until((shown) => /❯ ◐ ralph/.test(shown));
  await press("f3");
  await until((shown) => shown.includes("◉ work"));
});

test.each([60, 120])(
  "at %i columns a long question is cut before how to answer it, and has no signs of Markdown",
  async (width) => {
    const text = `Which **library** should ${"really ".repeat(40)}check the feeds?`;
    const { press, until } = await open({ width, height: 20 }, "dark", samplePort({ asked: text }));
    await press("f3");
    const frame = await until((shown) => shown.includes("? Which"));

    expect(frame).toMatch(/\? Which library should really.*… {3}a answers/);
  },
);

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

for (const size of [
  { width: 60, height: 15 },
  { width: 120, height: 40 },
])
  for (const theme of ["dark", "light", "none"] as const)
    test(`mission control at ${size.width}×${size.height}, ${theme}: live, in the past, a step, the tasks`, async () => {
      const { press, until, frame } = await open(size, theme);
      await press("f3");
      await until((shown) => shown.includes("◉ work"));
      expect(frame()).toMatchSnapshot("live");

      await press("shift+left");
      await until((shown) => shown.includes("past · read-only"));
      expect(frame()).toMatchSnapshot("past");

      await press("end");
      await press("enter");
      await until((shown) => shown.includes("Do task 3."));
      expect(frame()).toMatchSnapshot("step");

      await press("escape");
      await press("t", { ctrl: true });
      await until((shown) => shown.includes("needs 3, 4"));
      expect(frame()).toMatchSnapshot("tasks");
    });

test("mission control without colours has none: every cell has the terminal's own", async () => {
  const { press, until, made } = await open({ width: 60, height: 15 }, "none");
  await press("f3");
  await until((shown) => shown.includes("◉ work"));
  const written = made
    .captureSpans()
    .lines.flatMap(({ spans }) => spans)
    .filter(({ text }) => text.trim() !== "");

  expect(written.length).toBeGreaterThan(10);
  for (const { fg, bg } of written) expect([fg.intent, bg.intent]).toEqual(["default", "default"]);
});

test("f forks where one looks, after a question; the new run is watched and resumed", async () => {
  const { press, until, port, frame } = await open({ width: 100, height: 30 });
  await press("f3");
  await until((shown) => shown.includes("◉ work"));
  await press("left");
  await press("f");
  await until((shown) => shown.includes("everything up to event"));
  expect(port.calls).toEqual([]);
  await press("enter");
  await until((shown) => shown.includes("Resumed here"));

  expect(port.calls).toEqual([`fork a1b2c3d4-0000 ${port.total - 1}`, "resume forked-run false"]);
  expect(frame()).not.toContain("past · read-only");
});

test("a folder in which another run works is asked about before two run there", async () => {
  const port = samplePort({ isBusy: true });
  const { press, until } = await open({ width: 100, height: 30 }, "dark", port);
  await press("f3");
  await until((shown) => shown.includes("◉ work"));
  await press("r");
  await until((shown) => shown.includes("another run works here"));
  await press("enter");
  await until((shown) => shown.includes("Resumed here"));

  expect(port.calls).toEqual(["resume a1b2c3d4-0000 false", "resume a1b2c3d4-0000 true"]);
});

test("questions are answered one after the other, by number, by text, or by declining", async () => {
  const port = samplePort({ questions: 10 });
  const { press, type, until } = await open({ width: 100, height: 30 }, "dark", port);
  await press("f4");
  await until((shown) => shown.includes("asks you"));
  await type("a");
  await until((shown) => shown.includes("question 1 of 10"));
  await type("2");
  await until((shown) => shown.includes("question 2 of 10"));
  await type("green");
  await press("enter");
  await until((shown) => shown.includes("question 3 of 10"));
  await press("up");
  await press("enter");
  await until((shown) => shown.includes("question 4 of 10"));
  await press("escape");
  await until((shown) => !shown.includes("question 4"));

  expect(port.calls).toEqual([
    'answer a1b2c3d4-1 q0 {"value":"blue"}',
    'answer a1b2c3d4-1 q1 {"value":"green"}',
    'answer a1b2c3d4-1 q2 {"isDeclined":true}',
  ]);
});

test("cancelling asks first, and Esc leaves the run alone", async () => {
  const { press, type, until, port } = await open({ width: 100, height: 30 });
  await press("f4");
  await until((shown) => shown.includes("asks you"));
  await type("x");
  await until((shown) => shown.includes("ends for good"));
  await press("escape");
  await until((shown) => !shown.includes("ends for good"));
  expect(port.calls).toEqual([]);
  await type("x");
  await type("y");
  await until((shown) => shown.includes("Cancelled."));
  expect(port.calls).toEqual(["cancel a1b2c3d4-1"]);
});

test("Enter in the list watches a run; one that was removed, or whose record is torn, says so and keeps what was read", async () => {
  const port = samplePort({ problem: { code: "JOURNAL_CORRUPT", message: "Run x is damaged\x1b[2J at event 9." } });
  const { press, until } = await open({ width: 100, height: 30 }, "dark", port);
  await press("f4");
  await until((shown) => shown.includes("asks you"));
  await press("enter");
  const frame = await until((shown) => shown.includes("damaged"));

  expect(frame).toContain("✗ Run x is damaged␛[2J at event 9.");
  expect(frame).toContain("◉ work");
});

for (const size of [
  { width: 60, height: 15 },
  { width: 120, height: 40 },
])
  for (const theme of ["dark", "light", "none"] as const)
    test(`evidence at ${size.width}×${size.height}, ${theme}: requirement, command, exit code, fresh or stale`, async () => {
      const { press, until } = await open(size, theme);
      await press("f5");
      const frame = await until((shown) => shown.includes("stale, 3 files"));

      expect(frame).toMatchSnapshot();
      expect(frame).toMatch(/✓ 1 read the c.* exit 0 .*fresh/);
      expect(frame).toMatch(/✗ 3 retry 日本語.* exit 1/);
      expect(frame).toMatch(/○ 7 docs .*not checked/);
    });

for (const size of [
  { width: 60, height: 15 },
  { width: 120, height: 40 },
])
  for (const theme of ["dark", "light", "none"] as const)
    test(`the trust dialog at ${size.width}×${size.height}, ${theme}: read, scrolled, and no until one chooses`, async () => {
      const chosen: TrustChoice[] = [];
      const text = Array.from({ length: 60 }, (_, i) => `line ${i}`).join("\n");
      const trust: TrustPort = {
        waiting: {
          subject: {
            name: "workflow release",
            path: "/projects/parser/.atomic/workflows/release.ts",
            reason: "new",
            files: [{ name: ".atomic/workflows/release.ts", change: "added", text }],
            packages: ["left-pad"],
            runtimeModules: [],
            computed: [],
          },
          choose: (choice) => chosen.push(choice),
        },
        onChange: () => () => undefined,
      };
      const { press, type, until, frame } = await open(size, theme, samplePort(), trust);
      await until((shown) => shown.includes("was never trusted"));
      expect(frame()).toMatchSnapshot();
      await press("pageDown");
      await until((shown) => !shown.includes("release.ts  added"));
      await type("yt");
      expect(chosen).toEqual([]);
      await press("down");
      await press("enter");
      expect(chosen).toEqual(["trust"]);
    });
