/** @jsxImportSource @opentui/react */
// The full screen, from the first frame to the restored terminal. With connect-runs.ts the only file of the UI that knows
// the application: it makes the ports that the components get.

import { createCliRenderer, getTreeSitterClient } from "@opentui/core";
import { createRoot } from "@opentui/react";
import { Component, type ReactNode } from "react";
import type { Chat } from "../app/chat/chats.ts";
import type { ChatMemory } from "../app/chat/chat-memory.ts";
import type { ChatPort } from "./chat/chat-port.ts";
import { connectRuns, type RunsSource } from "./connect-runs.ts";
import { Frame } from "./frame/frame.tsx";
import type { Suggestion } from "./input/completion.ts";
import { createKeyTables } from "./keys/key-table.ts";
import { chooseTheme } from "./theme.ts";
import { editText } from "./terminal/edit-text.ts";
import { type Ending, guardTerminal, rendererOptions } from "./terminal/guard.ts";

export interface OpenChatScreenOptions {
  readonly chat: Chat;
  readonly memory: ChatMemory;
  readonly runs: RunsSource;
  readonly place: string;
  readonly theme: string | undefined;
  readonly keys: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly notices: readonly string[];
  readonly prompt: string;
  readonly now: () => number;
}

export async function openChatScreen(options: OpenChatScreenOptions): Promise<Ending> {
  const { chat, environment, prompt } = options;
  const renderer = await createCliRenderer({ ...rendererOptions, exitSignals: [] });
  const guard = guardTerminal(renderer, process.stdin);
  const tables = createKeyTables(options.keys);
  const port = createPort(options);
  createRoot(renderer).render(
    <Net onError={(error) => guard.end({ kind: "error", error })}>
      <Frame
        chat={port}
        runs={connectRuns(options)}
        tables={tables}
        theme={chooseTheme(options.theme, environment)}
        highlighting={startHighlighting()}
        onExit={() => guard.end({ kind: "left" })}
      />
    </Net>,
  );
  for (const text of [...options.notices, ...tables.problems]) chat.show(text);
  if (prompt.trim() !== "") void chat.submit(prompt).catch((error: unknown) => guard.end({ kind: "error", error }));
  return guard.ended;
}

/** Takes a moment. Where it does not start, texts are shown without it. */
async function startHighlighting(): Promise<boolean> {
  try {
    await getTreeSitterClient().initialize();
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return false;
  }
}

/** A component that throws would leave a live but dead screen. */
class Net extends Component<{ readonly children: ReactNode; readonly onError: (error: unknown) => void }> {
  override state = { isBroken: false };
  static getDerivedStateFromError(): { readonly isBroken: true } {
    return { isBroken: true };
  }
  override componentDidCatch(error: unknown): void {
    const { onError } = this.props;
    queueMicrotask(() => onError(error));
  }
  override render(): ReactNode {
    return this.state.isBroken ? null : this.props.children;
  }
}

function createPort({ chat, memory, place, environment, now }: OpenChatScreenOptions): ChatPort {
  return {
    get view() {
      return chat.view;
    },
    onChange: chat.onChange,
    submit(line) {
      memory.add(line);
      memory.saveDraft("");
      return chat.submit(line);
    },
    interrupt: chat.interrupt,
    answer: chat.answer,
    setModel: chat.setModel,
    remove: chat.remove,
    move: chat.move,
    sendNow: chat.sendNow,
    completion: {
      commands: (query) => chat.commands.search(query).filter(isShown).map(suggestionOf),
      command(name) {
        const found = chat.commands.get(name);
        return found === undefined ? undefined : suggestionOf(found);
      },
      paths: () => [],
    },
    history: memory.history,
    draft: memory.draft,
    saveDraft: memory.saveDraft,
    edit: (text) => editText(text, environment),
    place,
    now,
  };
}

type SlashCommand = ReturnType<Chat["commands"]["all"]>[number];

function isShown({ isHidden }: SlashCommand): boolean {
  return isHidden !== true;
}

function suggestionOf({ name, argumentHint = "", description, category }: SlashCommand): Suggestion {
  return { insert: `/${name}`, name: `/${name}`, hint: argumentHint, description, category };
}
