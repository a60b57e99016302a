// The full-screen chat, as the command line sees it: main.ts passes it in; it is loaded on demand.

import type { Chat } from "../../app/chat/chats.ts";
import type { ChatMemory } from "../../app/chat/chat-memory.ts";
import type { ProjectFiles } from "../../app/chat/project-files.ts";
import type { ScreenEnding } from "../../app/chat/screen-ending.ts";
import type { ProcessEnvironment } from "../../app/folders.ts";
import type { TrustDesk } from "../../app/trust-desk.ts";
import type { AppRuns } from "../../app/runs/app-runs.ts";

export interface ChatScreenCall {
  readonly chat: Chat;
  /** Call it when the first frame is shown. */
  readonly openChat: () => Promise<void>;
  readonly memory: ChatMemory;
  readonly runs: AppRuns;
  /** Consent is asked for there. */
  readonly trust: TrustDesk;
  readonly files: ProjectFiles;
  /** `main ±3`, where the folder is a repository. A large one takes a moment. */
  readonly place: () => Promise<string>;
  readonly theme: string | undefined;
  /** Entries like `output=ctrl+y`. */
  readonly keys: readonly string[];
  readonly environment: ProcessEnvironment;
  /** What a user should hear before. */
  readonly notices: readonly string[];
  /** The first message. */
  readonly prompt: string;
  readonly now: () => number;
}

/** Resolves when the terminal is restored. */
export type OpenChatScreen = (call: ChatScreenCall) => Promise<ScreenEnding>;
