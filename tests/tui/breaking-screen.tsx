// A chat screen that breaks in a given way, for lifecycle.test.ts: `bun breaking-screen.tsx throw|reject|render`.

import { writeSync } from "node:fs";
import { createTrustDesk } from "../../src/app/trust-desk.ts";
import type { Chat } from "../../src/app/chat/chats.ts";
import { type ChatBlock, emptyChat } from "../../src/chat/chat-view.ts";
import type { RunsSource } from "../../src/tui/connect-runs.ts";
import { openChatScreen } from "../../src/tui/open-chat-screen.tsx";

const [, , how] = process.argv;
const facts = { id: "c", cwd: "/", agent: "none", model: undefined, isProjectTrusted: false };
let view = emptyChat(facts);
const listeners = new Set<() => void>();
const nothing = async (): Promise<void> => undefined;
const chat: Chat = {
  id: "c",
  dir: "/",
  get view() {
    return view;
  },
  onChange(listener) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  show: () => undefined,
  submit: async () => ({ success: true }),
  edit: nothing,
  remove: nothing,
  move: nothing,
  sendNow: nothing,
  settled: async () => undefined,
  interrupt: () => false,
  answer: () => undefined,
  models: async () => [],
  setModel: nothing,
  servers: async () => [],
  switchServer: nothing,
  paused: new Promise(() => undefined),
  close: nothing,
  commands: { search: () => [], get: () => undefined, all: () => [] },
};

setTimeout(() => {
  if (how === "throw") throw new Error("boom thrown");
  if (how === "reject") void Promise.reject(new Error("boom rejected"));
  if (how === "render") {
    // No block at all: drawing it throws.
    view = { ...view, blocks: [JSON.parse("null") as ChatBlock] };
    for (const listener of listeners) listener();
  }
}, 300);

const unused = async (): Promise<never> => {
  throw new Error("not part of this");
};
async function* none(): AsyncGenerator<never> {}
const runs: RunsSource = {
  page: unused,
  evidence: unused,
  reducers: unused,
  list: async () => ({ runs: [], left: 0 }),
  owner: unused,
  events: none,
  follow: none,
  transcript: none,
  pause: unused,
  cancel: unused,
  answer: unused,
  fork: unused,
  prepareResume: unused,
  remove: unused,
  resume: () => {
    throw new Error("not part of this");
  },
};

const ending = await openChatScreen({
  chat,
  memory: { history: () => [], add: () => undefined, draft: "", saveDraft: () => undefined },
  runs,
  trust: createTrustDesk(),
  files: { search: () => [], refresh: async () => undefined, onChange: () => () => undefined },
  openChat: nothing,
  place: async () => "",
  theme: undefined,
  keys: [],
  environment: process.env,
  notices: [],
  prompt: "",
  now: () => Date.now(),
});
writeSync(1, `\nended by ${ending.kind}\n`);
process.exit(ending.kind === "error" ? 1 : 0);
