// From the application to the port of the chat screen.

import type { Chat } from "../app/chat/chats.ts";
import type { ChatMemory } from "../app/chat/chat-memory.ts";
import type { ProjectFiles } from "../app/chat/project-files.ts";
import type { IndexedPath } from "../lib/path-index.ts";
import type { ChatPort } from "./chat/chat-port.ts";
import type { Suggestion } from "./input/completion.ts";
import { clipboardSequence } from "./terminal/sequences.ts";

export interface ConnectChatOptions {
  readonly chat: Chat;
  readonly memory: ChatMemory;
  readonly files: ProjectFiles;
  readonly place: () => Promise<string>;
  readonly now: () => number;
  /** To the terminal, beside the screen. */
  readonly write: (sequence: string) => void;
  /** In the user's own editor. */
  readonly edit: (text: string) => Promise<string | undefined>;
}

export interface ChatConnection {
  readonly chat: ChatPort;
  /** The git state of the folder, for the header. */
  readPlace(): Promise<void>;
}

export function connectChat(options: ConnectChatOptions): ChatConnection {
  const { chat, memory, files, now, write, edit } = options;
  const listeners = new Set<() => void>();
  let place = "";
  const port: ChatPort = {
    get view() {
      return chat.view;
    },
    onChange(listener) {
      listeners.add(listener);
      const stop = chat.onChange(listener);
      return () => {
        stop();
        listeners.delete(listener);
      };
    },
    submit(line) {
      memory.add(line);
      memory.saveDraft("");
      return chat.submit(line);
    },
    interrupt: chat.interrupt,
    answer: chat.answer,
    setModel: chat.setModel,
    servers: chat.servers,
    switchServer: chat.switchServer,
    copy(text) {
      const { sequence, characters } = clipboardSequence(text);
      write(sequence);
      return characters;
    },
    remove: chat.remove,
    move: chat.move,
    sendNow: chat.sendNow,
    completion: {
      commands: (query) => chat.commands.search(query).filter(isShown).map(suggestionOf),
      command(name) {
        const found = chat.commands.get(name);
        return found === undefined ? undefined : suggestionOf(found);
      },
      paths(query) {
        if (query === "") void files.refresh();
        const agents = chat.commands
          .all()
          .filter(({ category, name }) => category === "agent" && name.startsWith(query));
        return [...agents.map(mentionOf), ...files.search(query, offeredPaths).map(pathSuggestion)];
      },
    },
    onPaths: files.onChange,
    history: memory.history,
    draft: memory.draft,
    saveDraft: memory.saveDraft,
    edit,
    get place() {
      return place;
    },
    now,
  };
  return {
    chat: port,
    async readPlace() {
      place = await options.place();
      for (const listener of listeners) listener();
    },
  };
}

const offeredPaths = 50;

/** A name with a space is quoted, so that the agent sees where it ends. */
function pathSuggestion({ path, isIgnored }: IndexedPath): Suggestion {
  const category = path.endsWith("/") ? "folder" : "file";
  const insert = /\s/.test(path) ? `@"${path}"` : `@${path}`;
  return { insert, name: path, hint: "", description: isIgnored ? "ignored by git" : "", category };
}

function mentionOf({ name, description }: SlashCommand): Suggestion {
  return { insert: `@${name}`, name: `@${name}`, hint: "agent", description, category: "agent" };
}

type SlashCommand = ReturnType<Chat["commands"]["all"]>[number];

function isShown({ isHidden }: SlashCommand): boolean {
  return isHidden !== true;
}

function suggestionOf({ name, argumentHint = "", description, category }: SlashCommand): Suggestion {
  return { insert: `/${name}`, name: `/${name}`, hint: argumentHint, description, category };
}
