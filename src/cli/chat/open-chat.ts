// From the options of `atomic chat` to a conversation on this terminal.

import { resolve } from "node:path";
import type { ChatChoices } from "../../app/chat/app-chat.ts";
import type { App } from "../../app/create-app.ts";
import type { Environment } from "../../app/place.ts";
import { limitChoicesOf } from "../../app/runs/run-choices.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { Io } from "../io.ts";
import { runPlainChat } from "./plain-chat.ts";

export interface ChatCall {
  readonly options: OptionValues;
  readonly prompt: string;
  readonly io: Io;
  readonly app: App;
  readonly environment: Environment;
}

export async function openChat(call: ChatCall): Promise<number> {
  const { options, prompt, io, app } = call;
  io.claimOutput();
  const chat = await app.chat.open(choicesOf(options), {
    onNotice: (text) => io.warn(`notice: ${safeLine(text, 1000)}`),
  });
  const { createTerminalInput } = await import("../runs/terminal-input.ts");
  return runPlainChat({ chat, io, prompt, input: createTerminalInput(), hasTerminal: io.isInteractive });
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
