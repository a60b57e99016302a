// A chat that is shown before it is open: what can be typed is taken at once, and waits for the chat that is being
// opened behind it. So a screen need not wait for the catalog, the store and the agent.

import { type ChatBlock, type ChatView, emptyChat } from "../../chat/chat-view.ts";
import { createDeferred } from "../../lib/deferred.ts";
import type { Chat } from "./chats.ts";

export type FirstFacts = Pick<ChatView, "cwd" | "agent" | "model" | "isProjectTrusted">;

export interface LateChat {
  readonly chat: Chat;
  /** Call it once, when the screen is shown. Throws what opening the chat throws. */
  open(): Promise<void>;
}

/** `first`: how it looks until it is open. */
export function createLateChat(first: FirstFacts, open: () => Promise<Chat>): LateChat {
  const listeners = new Set<() => void>();
  const opened = createDeferred<Chat>();
  // The caller of `open` gets the error; a line that waits for the chat is then obsolete.
  opened.promise.catch(() => undefined);
  const paused = createDeferred<void>();
  let isOpening = false;
  let chat: Chat | undefined;
  let early: ChatView = emptyChat({ id: "", ...first });

  const change = (): void => {
    for (const listener of listeners) listener();
  };

  async function start(): Promise<void> {
    isOpening = true;
    try {
      const made = await open();
      chat = made;
      for (const block of early.blocks) if (block.kind === "notice") made.show(block.text);
      made.onChange(change);
      void made.paused.then(paused.resolve);
      opened.resolve(made);
      change();
    } catch (thrown) {
      opened.reject(thrown);
      throw thrown;
    }
  }

  const late: Chat = {
    get id() {
      return chat?.id ?? "";
    },
    get dir() {
      return chat?.dir ?? "";
    },
    get view() {
      return chat?.view ?? early;
    },
    commands: {
      search: (query) => chat?.commands.search(query) ?? [],
      get: (name) => chat?.commands.get(name),
      all: () => chat?.commands.all() ?? [],
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    show(text) {
      if (chat !== undefined) return chat.show(text);
      const notice: ChatBlock = { kind: "notice", id: `early-${early.blocks.length}`, level: "warning", text };
      early = { ...early, blocks: [...early.blocks, notice] };
      change();
    },
    submit: async (line) => (await opened.promise).submit(line),
    edit: async (id, line) => (await opened.promise).edit(id, line),
    remove: async (id) => (await opened.promise).remove(id),
    move: async (id, by) => (await opened.promise).move(id, by),
    sendNow: async (id) => (await opened.promise).sendNow(id),
    settled: async () => (await opened.promise).settled(),
    interrupt: () => chat?.interrupt() ?? false,
    answer: (question, reply) => chat?.answer(question, reply),
    models: async () => (await opened.promise).models(),
    setModel: async (model) => (await opened.promise).setModel(model),
    servers: async () => (await opened.promise).servers(),
    switchServer: async (name, isOn) => (await opened.promise).switchServer(name, isOn),
    paused: paused.promise,
    async close() {
      if (!isOpening) return;
      const made = await opened.promise.catch(() => undefined);
      await made?.close();
    },
  };
  return { chat: late, open: start };
}
