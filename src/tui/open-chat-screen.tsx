/** @jsxImportSource @opentui/react */
// The full screen, from the first frame to the restored terminal. With connect-chat.ts and connect-runs.ts the only
// files of the UI that know the application: they make the ports that the components get.

import { CliRenderEvents, type CliRenderer, resolveRenderLib } from "@opentui/core";
import { createRoot } from "@opentui/react";
import { Component, type ReactNode } from "react";
import type { Chat } from "../app/chat/chats.ts";
import type { ChatMemory } from "../app/chat/chat-memory.ts";
import type { ProjectFiles } from "../app/chat/project-files.ts";
import type { ScreenEnding } from "../app/chat/screen-ending.ts";
import { connectChat } from "./connect-chat.ts";
import type { TrustDesk } from "../app/trust-desk.ts";
import { connectTrust } from "./connect-trust.ts";
import { connectRuns, type RunsSource } from "./connect-runs.ts";
import { Frame } from "./frame/frame.tsx";
import { startHighlighting } from "./highlight/start-highlighting.ts";
import { createKeyTables } from "./keys/key-table.ts";
import { chooseTheme } from "./theme.ts";
import { createAttention } from "./terminal/attention.ts";
import { askForFocus, attentionSequence } from "./terminal/sequences.ts";
import { createTypeAhead } from "./terminal/type-ahead.ts";
import { guardTerminal } from "./terminal/guard.ts";
import { editText } from "./terminal/edit-text.ts";
import { openRenderer } from "./terminal/open-renderer.ts";
import type { TerminalOutput } from "./terminal/output.ts";

export interface OpenChatScreenOptions {
  readonly chat: Chat;
  /** Called when the first frame is shown: what takes time waits for that. */
  readonly openChat: () => Promise<void>;
  readonly memory: ChatMemory;
  readonly runs: RunsSource;
  readonly trust: TrustDesk;
  readonly files: ProjectFiles;
  readonly place: () => Promise<string>;
  readonly theme: string | undefined;
  readonly keys: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly notices: readonly string[];
  readonly prompt: string;
  readonly now: () => number;
}

/** Throws where it can't be loaded: it is not installed, or there is no room to unpack it. */
export function loadNativePart(): void {
  resolveRenderLib();
}

export async function openChatScreen(options: OpenChatScreenOptions): Promise<ScreenEnding> {
  const { chat, environment, prompt } = options;
  const typeAhead = createTypeAhead();
  const { renderer, output } = await openRenderer({ environment, inputHandlers: [typeAhead.handler] });
  renderer.keyInput.on("paste", typeAhead.takePaste);
  const guard = guardTerminal(renderer, output, process.stdin);
  const tables = createKeyTables(options.keys);
  const edit = async (text: string): Promise<string | undefined> => {
    await output.settled();
    const edited = await editText(text, environment);
    // An editor may have switched it off.
    output.write(askForFocus);
    return edited;
  };
  const port = connectChat({ ...options, write: output.write, edit });
  const runs = connectRuns({ runs: options.runs, cwd: chat.view.cwd, askTrust: options.trust.ask, now: options.now });
  const shown = new Promise<void>((resolve) => renderer.once(CliRenderEvents.FRAME, () => resolve()));
  createRoot(renderer).render(
    <Net onError={(error) => guard.end({ kind: "error", error })}>
      <Frame
        chat={port.chat}
        runs={runs.port}
        trust={connectTrust(options.trust)}
        tables={tables}
        theme={chooseTheme(options.theme, environment)}
        highlighting={shown.then(() => startHighlighting())}
        onReady={() => typeAhead.release(process.stdin)}
        onExit={() => guard.end({ kind: "left" })}
      />
    </Net>,
  );
  watchForNews(renderer, output, options);
  void shown
    .then(async () => {
      await options.openChat();
      await port.readPlace();
      await options.files.refresh();
    })
    .catch((error: unknown) => guard.end({ kind: "error", error }));
  for (const text of [...options.notices, ...tables.problems]) chat.show(text);
  if (prompt.trim() !== "") void chat.submit(prompt).catch((error: unknown) => guard.end({ kind: "error", error }));
  const ending = await guard.ended;
  options.trust.close();
  return { ...ending, paused: await runs.close(), print: (text) => output.print(`${text}\n`) };
}

/** A bell and a notification when something happens while the terminal has no focus. */
function watchForNews(
  renderer: CliRenderer,
  { write }: TerminalOutput,
  { chat, environment }: OpenChatScreenOptions,
): void {
  const isTmux = (environment["TMUX"] ?? "") !== "";
  const call = (text: string): void => write(attentionSequence(text, isTmux));
  const attention = createAttention({ first: chat.view, call });
  renderer.on("focus", () => attention.focus(true));
  renderer.on("blur", () => attention.focus(false));
  chat.onChange(() => attention.see(chat.view));
  write(askForFocus);
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
