// What the chat screen needs from the program: everything comes in through this port, so that a component knows no
// application and a test needs none.

import type { ModelInfo } from "../../agents/port.ts";
import type { ToolServer } from "../../agents/tool-servers.ts";
import type { QuestionReply } from "../../agents/questions.ts";
import type { ChatView } from "../../chat/chat-view.ts";
import type { CompletionSource } from "../input/completion.ts";
import type { RunChoice } from "./choices.ts";

/** What a submitted line asks the screen to do. */
export interface LineOutcome {
  readonly success: boolean;
  readonly message?: string | undefined;
  readonly shouldExit?: boolean | undefined;
  readonly themeChange?: "dark" | "light" | "toggle" | undefined;
  readonly showModelSelector?: readonly ModelInfo[] | undefined;
  readonly showRunSelector?: readonly RunChoice[] | undefined;
  readonly mcpSnapshot?: readonly ToolServer[] | undefined;
}

export interface ChatPort {
  readonly view: ChatView;
  onChange(listener: () => void): () => void;
  submit(line: string): Promise<LineOutcome>;
  interrupt(): boolean;
  answer(questionId: string, reply: QuestionReply): void;
  setModel(model: string): Promise<void>;
  servers(): Promise<readonly ToolServer[]>;
  switchServer(name: string, isOn: boolean): Promise<void>;
  /** To the terminal's clipboard: how many characters were sent. */
  copy(text: string): number;
  remove(queued: string): Promise<void>;
  move(queued: string, by: number): Promise<void>;
  sendNow(queued?: string): Promise<void>;
  readonly completion: CompletionSource;
  /** After the files of the project were read: what is offered after an @ may be different. */
  onPaths(listener: () => void): () => void;
  /** Messages of this and earlier chats, the newest first. */
  history(): readonly string[];
  /** What was being typed when the program ended. */
  readonly draft: string;
  saveDraft(text: string): void;
  /** The text as the user left it in their editor; undefined when there is none. */
  edit(text: string): Promise<string | undefined>;
  /** ` main ±3`, where the folder is a repository. */
  readonly place: string;
  now(): number;
}
