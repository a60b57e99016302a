// From the options of `atomic chat` to a conversation on this terminal.

import { resolve } from "node:path";
import type { Chat } from "../../app/chat/chats.ts";
import type { ChatChoices } from "../../app/chat/app-chat.ts";
import type { ScreenEnding } from "../../app/chat/screen-ending.ts";
import { createTrustDesk } from "../../app/trust-desk.ts";
import type { App } from "../../app/create-app.ts";
import type { ProcessEnvironment } from "../../app/folders.ts";
import { limitChoicesOf } from "../../app/runs/run-choices.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { plainMarkdown } from "../../lib/plain-markdown.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { Io } from "../io.ts";
import { signalExitCodes, type StopSignal } from "../runs/exit-code.ts";
import { chooseFirstAgent } from "./choose-agent.ts";
import type { BlockText } from "./block-text.ts";
import type { OpenChatScreen } from "./screen.ts";

export interface ChatCall {
  readonly options: OptionValues;
  readonly prompt: string;
  readonly io: Io;
  readonly app: App;
  readonly environment: ProcessEnvironment;
  readonly screen: () => Promise<OpenChatScreen>;
}

export async function openChat(call: ChatCall): Promise<number> {
  const { options, prompt, io, app, environment } = call;
  const isScreen = options["plain"] !== true && hasScreen(io, environment);
  // While it loads, other things are read.
  const screen = isScreen ? loadScreen(call) : undefined;
  const notices: string[] = [];
  const choices = await chooseFirstAgent(choicesOf(options), app, io, (text) => void notices.push(text));
  const open = await screen;
  if (open !== undefined) return onScreen(open, { choices, notices }, call);
  io.claimOutput();
  const onNotice = (text: string): void => io.warn(`notice: ${safeLine(text, 1000)}`);
  for (const text of notices) onNotice(text);
  const chat = await app.chat.open(choices, { askTrust: undefined, onNotice });
  const [{ createTerminalInput }, { runPlainChat }] = await Promise.all([
    import("../runs/terminal-input.ts"),
    import("./plain-chat.ts"),
  ]);
  return runPlainChat({ chat, io, prompt, input: createTerminalInput(), hasTerminal: io.hasTerminal });
}

/** A terminal for input and output that can place a cursor. */
function hasScreen(io: Pick<Io, "hasTerminal" | "columns">, environment: ProcessEnvironment): boolean {
  return io.hasTerminal && io.columns !== undefined && (environment["TERM"] ?? "dumb") !== "dumb";
}

/** Undefined where its native part is not installed: then plain lines are used. */
async function loadScreen({ screen, io }: ChatCall): Promise<OpenChatScreen | undefined> {
  try {
    return await screen();
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    io.warn(`The full screen can't be shown here: ${safeLine(thrown.message, 300)} The chat uses plain lines instead.`);
    return undefined;
  }
}

interface Chosen {
  readonly choices: ChatChoices;
  /** What a user should hear before. */
  readonly notices: readonly string[];
}

async function onScreen(show: OpenChatScreen, { choices, notices }: Chosen, call: ChatCall): Promise<number> {
  const { options, prompt, app, environment } = call;
  const { chat: part } = app;
  const trust = createTrustDesk();
  const late: string[] = [];
  let onNotice = (text: string): void => void late.push(text);
  const files = part.files();
  const [memory, { theme, keys }, { chat, open }] = await Promise.all([
    part.memory(),
    part.screen(),
    part.openLate(choices, { askTrust: trust.ask, onNotice: (text) => onNotice(text) }),
  ]);
  onNotice = chat.show;
  const asked = options["theme"];
  const look = { theme: typeof asked === "string" ? asked : theme, keys };
  const ending = await show({
    chat,
    openChat: open,
    memory,
    files,
    runs: app.runs,
    trust,
    place: part.place,
    notices: [...notices, ...late],
    ...look,
    environment,
    prompt,
    now: app.now,
  });
  await chat.close();
  await printEnd(chat, ending);
  switch (ending.kind) {
    case "left":
      return 0;
    case "signal":
      return signalExitCodes[ending.signal as StopSignal];
    case "error":
      throw ending.error;
  }
}

/** What stays in the scrollback. */
async function printEnd(chat: Chat, { paused, print }: ScreenEnding): Promise<void> {
  const { blockText } = await import("./block-text.ts");
  const last = lastExchange(chat.view.blocks, blockText);
  const isUsed = chat.view.blocks.some(({ kind }) => kind === "person");
  const lines = [
    ...(last === "" ? [] : [last]),
    ...(isUsed ? [`Continue with: atomic chat --resume ${chat.id}`] : []),
    ...paused.map((run) => `Paused run ${run}. Resume with: atomic resume ${run}`),
  ];
  if (lines.length > 0) await print(lines.join("\n"));
}

function lastExchange(
  blocks: Chat["view"]["blocks"],
  textOf: (block: Chat["view"]["blocks"][number]) => BlockText | undefined,
): string {
  const from = blocks.findLastIndex(({ kind }) => kind === "person");
  return blocks
    .slice(Math.max(0, from))
    .filter(({ kind }) => kind === "person" || kind === "said" || kind === "ended")
    .flatMap((block) => textOf(block)?.text ?? [])
    .map(plainMarkdown)
    .join("\n");
}

function choicesOf(options: OptionValues): ChatChoices {
  const text = (name: string): string | undefined => {
    const value = options[name];
    return typeof value === "string" ? value : undefined;
  };
  const id = text("resume");
  const script = text("script");
  const record = text("record");
  return {
    agent: text("agent"),
    model: text("model"),
    script: script === undefined ? undefined : resolve(script),
    record: record === undefined ? undefined : resolve(record),
    limits: limitChoicesOf(options),
    isTrusted: options["trust"] === true,
    continues: id !== undefined ? { id } : options["continue"] === true ? "newest" : undefined,
  };
}
