// A chat as lines: what is typed is a message, a command, or the answer to the question that is open; what the agent says
// goes to standard output, everything else to standard error. A user may type while a turn runs; lines of a pipe are
// read when the turn before is over, or when a question is open.

import type { Chat } from "../../app/chat/chats.ts";
import type { ChatOutcome } from "../../app/chat/chat-outcome.ts";
import type { ToolServer } from "../../agents/tool-servers.ts";
import type { AgentQuestion, QuestionReply } from "../../agents/questions.ts";
import { AtomicError } from "../../lib/errors.ts";
import { createDeferred } from "../../lib/deferred.ts";
import { safeLine, safeText } from "../../lib/safe-text.ts";
import type { Io } from "../io.ts";
import { exitCodeOf, signalExitCodes, type StopSignal } from "../runs/exit-code.ts";
import type { TerminalInput } from "../runs/terminal-input.ts";
import { blockText, agentQuestionText, startText } from "./block-text.ts";

export interface PlainChatOptions {
  readonly chat: Chat;
  readonly io: Pick<Io, "print" | "warn">;
  readonly prompt: string;
  readonly input: TerminalInput;
  /** A user types, and sees what they typed. */
  readonly hasTerminal: boolean;
}

/** Gives the exit code: 1 when the last turn failed. */
export async function runPlainChat({ chat, io, prompt, input, hasTerminal }: PlainChatOptions): Promise<number> {
  const left = createDeferred<StopSignal | "paused" | undefined>();
  const stopPrinting = printChat(chat, io, hasTerminal);
  const release = listenToSignals(chat, io, (signal) => left.resolve(signal));
  greet(chat, io);

  /** False when the user leaves. */
  async function handle(line: string): Promise<boolean> {
    const [question] = chat.view.questions;
    if (question !== undefined) {
      answer(chat, io, question, line);
      return true;
    }
    const outcome = await chat.submit(line);
    report(io, outcome);
    if (outcome.shouldExit === true) left.resolve(undefined);
    return outcome.shouldExit !== true;
  }

  try {
    if (prompt.trim() !== "") await handle(prompt);
    if (hasTerminal) {
      input.onLine((line) => void handle(line).catch(left.reject));
      input.onEnd(() => left.resolve(undefined));
    } else {
      // No one is there to continue it.
      void chat.paused.then(() => left.resolve("paused"));
      void readInTurn(chat, input, handle).then(() => left.resolve(undefined), left.reject);
    }
    const signal = await left.promise;
    if (signal === undefined && !hasTerminal) await chat.settled();
    const outcome = chat.view.blocks.findLast(({ kind }) => kind !== "notice");
    await chat.close();
    stopPrinting();
    if (chat.view.blocks.length > 0) io.warn(`Continue with: atomic chat --resume ${chat.id}`);
    if (signal === "paused") return exitCodeOf({ status: "paused", reason: "paused" }, undefined);
    if (signal !== undefined) return signalExitCodes[signal];
    return outcome?.kind === "ended" && outcome.outcome === "failed" ? 1 : 0;
  } finally {
    release();
    input.close();
  }
}

/** Line by line, each when the chat can take it. At the end of the input, open questions are declined. */
async function readInTurn(chat: Chat, input: TerminalInput, handle: (line: string) => Promise<boolean>): Promise<void> {
  const lines: string[] = [];
  let isOver = false;
  let arrived = createDeferred<void>();
  const wake = (): void => {
    arrived.resolve();
    arrived = createDeferred();
  };
  input.onLine((line) => {
    lines.push(line);
    wake();
  });
  input.onEnd(() => {
    isOver = true;
    wake();
  });
  for (;;) {
    await readiness(chat);
    const line = lines.shift();
    if (line !== undefined) {
      if (!(await handle(line))) return;
    } else if (!isOver) await arrived.promise;
    else if (chat.view.questions.length > 0) declineAll(chat);
    else return;
  }
}

/** Resolves when nothing runs, or a question is open. */
async function readiness(chat: Chat): Promise<void> {
  if (chat.view.questions.length > 0) return;
  const asked = createDeferred<void>();
  const stop = chat.onChange(() => {
    if (chat.view.questions.length > 0) asked.resolve();
  });
  await Promise.race([asked.promise, chat.settled()]);
  stop();
}

function declineAll(chat: Chat): void {
  for (const { id } of chat.view.questions) chat.answer(id, { type: "declined", reason: "declined" });
}

function answer(chat: Chat, io: Pick<Io, "warn">, question: AgentQuestion, line: string): void {
  try {
    chat.answer(question.id, replyOf(question, line));
  } catch (thrown) {
    if (!AtomicError.is(thrown, "QUESTION_UNKNOWN") && !AtomicError.is(thrown, "QUESTION_ANSWER_INVALID")) throw thrown;
    io.warn(thrown.message);
  }
}

/** Numbers stand for options; several are separated by commas; several items by semicolons. An empty line declines. */
function replyOf({ items }: AgentQuestion, line: string): QuestionReply {
  if (line.trim() === "") return { type: "declined", reason: "declined" };
  const parts = items.length === 1 ? [line] : line.split(";");
  const answers = items.map((item, i) => {
    const written = parts[i]?.trim() ?? "";
    const values = item.isMultiple ? written.split(",") : [written];
    return values.map((value) => {
      const typed = value.trim();
      return (/^\d+$/.test(typed) ? item.options[Number(typed) - 1]?.label : undefined) ?? typed;
    });
  });
  return { type: "answered", answers };
}

function greet(chat: Chat, io: Pick<Io, "warn">): void {
  const { agent, model } = chat.view;
  const who = model === undefined ? safeLine(agent) : `${safeLine(agent)}, model ${safeLine(model)}`;
  io.warn(`Chat with ${who}. /help lists commands, /exit leaves, Ctrl+C stops a turn.`);
}

function report(
  io: Pick<Io, "warn">,
  { message, showModelSelector, showRunSelector, mcpSnapshot, themeChange }: ChatOutcome,
): void {
  if (message !== undefined) io.warn(safeText(message));
  for (const { id, name } of showModelSelector ?? [])
    io.warn(`${safeLine(id)}  ${safeLine(name)}  (choose with /model ${safeLine(id)})`);
  for (const { id, workflow, prompt } of showRunSelector ?? [])
    io.warn(`${id}  ${safeLine(workflow)}  ${safeLine(prompt, 60)}  (/resume ${id})`);
  for (const server of mcpSnapshot ?? []) io.warn(serverText(server));
  if (mcpSnapshot?.length === 0) io.warn("The agent has no tool servers.");
  if (themeChange !== undefined) io.warn("There are no colours in plain text.");
}

function serverText({ name, status, error, tools = [] }: ToolServer): string {
  const about = error === undefined ? tools.map((tool) => safeLine(tool, 60)).join(", ") : safeLine(error, 200);
  return `${safeLine(name)}  ${safeLine(status)}${about === "" ? "" : `  ${about}`}`;
}

function printChat(chat: Chat, io: Pick<Io, "print" | "warn">, hasTerminal: boolean): () => void {
  let printed = 0;
  const begun = new Set<string>();
  const asked = new Set<string>();
  let isHistory = true;
  function show(): void {
    const { blocks, live, questions } = chat.view;
    if (blocks.length < printed) printed = 0;
    for (const block of blocks.slice(printed)) {
      // What a user has just typed is on their screen already.
      const isEcho = block.kind === "person" && hasTerminal && !isHistory;
      const text = isEcho ? undefined : blockText(block);
      if (text?.isResult === true) io.print(text.text);
      else if (text !== undefined) io.warn(text.text);
    }
    printed = blocks.length;
    for (const block of live) {
      const text = begun.has(block.id) ? undefined : startText(block);
      begun.add(block.id);
      if (text !== undefined) io.warn(text);
    }
    for (const question of questions) {
      if (asked.has(question.id)) continue;
      asked.add(question.id);
      io.warn(agentQuestionText(question));
    }
  }
  show();
  isHistory = false;
  return chat.onChange(show);
}

/** Ctrl+C stops the turn; with none running it leaves. Everything else leaves at once, with the record closed. */
function listenToSignals(chat: Chat, io: Pick<Io, "warn">, leave: (signal: StopSignal) => void): () => void {
  const names = Object.keys(signalExitCodes) as readonly StopSignal[];
  const listeners = names.map((name) => {
    const listener = (): void => {
      if (name === "SIGINT" && chat.interrupt()) return io.warn("Stopping the turn.");
      leave(name);
    };
    process.on(name, listener);
    return () => void process.off(name, listener);
  });
  return () => {
    for (const release of listeners) release();
  };
}
