// A chat that says nothing, for tests of screens: the conversation can be replaced while it is shown.

import type { ChatView } from "../../../src/chat/chat-view.ts";
import type { ChatPort } from "../../../src/tui/chat/chat-port.ts";

export interface FakeChatPort {
  readonly port: ChatPort;
  show(view: ChatView): void;
}

export function fakeChatPort(first: ChatView, own: Partial<Omit<ChatPort, "view" | "onChange">> = {}): FakeChatPort {
  const listeners = new Set<() => void>();
  const nothing = async (): Promise<void> => undefined;
  let view = first;
  const quiet = {
    submit: async () => ({ success: true }),
    interrupt: () => true,
    answer: () => undefined,
    setModel: nothing,
    servers: async () => [],
    switchServer: nothing,
    copy: (text: string) => text.length,
    remove: nothing,
    move: nothing,
    sendNow: nothing,
    completion: { commands: () => [], command: () => undefined, paths: () => [] },
    onPaths: () => () => undefined,
    history: () => [],
    draft: "",
    saveDraft: () => undefined,
    edit: async () => undefined,
    place: "main ±3",
    now: () => 8000,
  } satisfies Omit<ChatPort, "view" | "onChange">;
  const port: ChatPort = {
    ...quiet,
    ...own,
    get view() {
      return view;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return {
    port,
    show(next) {
      view = next;
      for (const listener of listeners) listener();
    },
  };
}
