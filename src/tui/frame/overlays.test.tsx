/** @jsxImportSource @opentui/react */
// Everything that lies over a screen, as a frame in both sizes: lists, texts, keys, questions, dialogs. The text is the
// same in all themes; only colours differ, and without colours nothing is lost.

import { afterEach, expect, test } from "bun:test";
import type { AgentQuestion } from "../../agents/questions.ts";
import { type ChatView, emptyChat } from "../../chat/chat-view.ts";
import type { LineOutcome } from "../chat/chat-port.ts";
import { fakeChatPort } from "../../../tests/support/tui/fake-chat-port.ts";
import type { Suggestion } from "../input/completion.ts";
import { createKeyTables } from "../keys/key-table.ts";
import { sampleNow, samplePort } from "../../../tests/support/tui/sample-port.ts";
import { themes } from "../theme.ts";
import { Frame } from "./frame.tsx";
import { openVirtualTerminal, type VirtualTerminal } from "../../../tests/support/tui/virtual-terminal.ts";

let terminal: VirtualTerminal | undefined;
afterEach(() => close());

function close(): void {
  terminal?.close();
  terminal = undefined;
}

const view: ChatView = {
  ...emptyChat({ id: "c", cwd: "/projects/parser", agent: "claude", model: "opus", isProjectTrusted: true }),
  blocks: [
    { kind: "person", id: "1", text: "add a retry to the fetcher" },
    { kind: "thought", id: "2", text: "It fails in two ways." },
    { kind: "said", id: "3", text: "I'll look at how the fetcher fails first." },
    {
      kind: "tool",
      id: "4",
      name: "Edit",
      title: "src/fetch.ts",
      state: "ok",
      output: "- old\n+ new",
      startedAt: 0,
      ms: 90,
      added: 1,
      removed: 1,
    },
    { kind: "compacted", id: "5", summary: "The conversation was compacted.\n\nThe fetcher needs a retry." },
  ],
};

const asking: ChatView = {
  ...view,
  turn: { id: "t", startedAt: sampleNow - 5000, phase: "asking" },
  questions: [
    question("a", "Which tests?", true),
    question("b", "Another one?", false),
    question("c", "And a third?", false),
  ],
};

function question(id: string, text: string, isMultiple: boolean): AgentQuestion {
  const options = [{ label: "unit", description: "quick" }, { label: "end to end" }];
  return { id, items: [{ text, options, isMultiple, isFreeText: true }] };
}

const help = Array.from({ length: 60 }, (_, i) => `  /command-${i}  what it does`).join("\n");
const outcomes: Readonly<Record<string, LineOutcome>> = {
  "/help": { success: true, message: `Slash Commands\n${help}` },
  "/model": {
    success: true,
    showModelSelector: [
      { id: "opus", name: "Opus", description: "for hard things" },
      { id: "haiku", name: "haiku" },
    ],
  },
  "/mcp": {
    success: true,
    mcpSnapshot: [
      { name: "files", status: "connected", tools: ["read", "write"] },
      { name: "web", status: "failed", error: "it does not start" },
      { name: "old", status: "disabled" },
    ],
  },
  "/resume": {
    success: true,
    showRunSelector: [{ id: "a1b2c3d4-0000", workflow: "ralph", prompt: "add a\nretry", reason: "paused" }],
  },
};

const offered: readonly Suggestion[] = [
  { insert: "/ralph", name: "/ralph", hint: "<prompt>", description: "Plan, build, check", category: "workflow" },
  { insert: "/clear", name: "/clear", hint: "", description: "Empty the chat", category: "builtin" },
];

type Keys = (terminal: VirtualTerminal) => Promise<void>;

const typed =
  (line: string): Keys =>
  async ({ type, press }) => {
    await type(line);
    await press("enter");
  };
const control =
  (key: string): Keys =>
  ({ press }) =>
    press(key, { ctrl: true });
const onRuns =
  (...keys: readonly string[]): Keys =>
  async ({ press, until }) => {
    await press("f4");
    await until((frame) => frame.includes("asks you"));
    for (const key of keys) await press(key);
  };

/** What it is, how to come there, what it shows, in which conversation. */
const overlays: readonly (readonly [string, Keys, string, ChatView?])[] = [
  ["the keys of the chat", ({ type }) => type("?"), " keys "],
  ["a text that is longer than the screen", typed("/help"), "lines more"],
  ["the picker of models", typed("/model"), "choose a model"],
  ["tool servers", typed("/mcp"), "tool servers"],
  ["the picker of runs", typed("/resume"), "resume a run"],
  ["earlier messages", control("r"), "earlier messages"],
  ["everything by name", control("p"), "everything by name"],
  [
    "finding a text",
    async ({ press, type }) => {
      await press("f", { ctrl: true });
      await type("fetcher");
    },
    "1 of 3",
  ],
  ["full output, thinking and the summary", control("o"), "The fetcher needs a retry."],
  [
    "a question with several answers, and two that wait",
    async ({ press }) => {
      await press("tab");
      await press(" ");
    },
    "[x] unit",
    asking,
  ],
  ["the keys of the list of runs", onRuns("?"), "filter by what you type"],
  ["an answer to a run", onRuns("a"), "decline"],
  ["cancelling a run", onRuns("x"), "ends for good"],
  [
    "forking a run",
    async ({ press, until }) => {
      await press("f3");
      await until((frame) => frame.includes("◉ work"));
      await press("shift+left");
      await press("f");
    },
    "This run stays as it is.",
  ],
];

async function frameOf(
  [, keys, text, shown = view]: (typeof overlays)[number],
  size: { readonly width: number; readonly height: number },
  theme: keyof typeof themes,
): Promise<string> {
  const chat = fakeChatPort(shown, {
    place: "main",
    now: () => sampleNow,
    submit: async (line) => outcomes[line] ?? { success: true },
    history: () => ["also log the attempt", "run the tests\nand tell me"],
    completion: {
      commands: (query) => (query === "" ? offered : []),
      command: () => undefined,
      paths: () => [],
    },
  });
  terminal = await openVirtualTerminal(
    <Frame
      chat={chat.port}
      runs={samplePort()}
      trust={{ waiting: undefined, onChange: () => () => undefined }}
      tables={createKeyTables()}
      theme={themes[theme]}
      highlighting={Promise.resolve(false)}
      onExit={() => undefined}
    />,
    size,
  );
  await keys(terminal);
  await terminal.until((frame) => frame.includes(text));
  await terminal.settle();
  const frame = terminal.frame();
  close();
  return frame;
}

for (const size of [
  { width: 60, height: 15 },
  { width: 120, height: 40 },
])
  test.each(overlays.map((overlay) => [overlay[0], overlay] as const))(
    `%s at ${size.width}×${size.height}, in every theme`,
    async (_, overlay) => {
      const dark = await frameOf(overlay, size, "dark");

      expect(dark).toMatchSnapshot();
      for (const theme of ["light", "none"] as const) expect(await frameOf(overlay, size, theme)).toBe(dark);
    },
  );
