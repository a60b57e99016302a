// The recorded walk: from the first start to the exit, typed into the real program. Each step waits until the screen
// shows the expected text; then the frame is captured, with the ids of this machine's runs replaced.

import type { Pane } from "../../tests/support/tui/tmux-server.ts";
import { frameText, parseStyledFrame, type StyledFrame } from "./styled-frame.ts";
import { createWalkWorld, type WalkWorld } from "./walk-world.ts";
import { walkScript } from "./walk-script.ts";

export interface WalkFrame {
  /** Also the name of its picture. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly frame: StyledFrame;
}

type Take = (pane: Pane, name: string, title: string) => Promise<void>;

const goal = "Make the fetcher survive a bad network";
const seconds = 1000;
const minutes = 60 * seconds;

export async function playWalk(): Promise<readonly WalkFrame[]> {
  const world = createWalkWorld(walkScript);
  const frames: WalkFrame[] = [];

  const take: Take = async (pane, name, title) => {
    const captured = maskIds(await settled(pane), world.ids()).replace(/^EXIT=0$/m, "");
    if (captured.includes("atomic-walk-"))
      throw new Error(`The frame "${name}" shows a temporary folder:\n${captured}`);
    const frame = parseStyledFrame(captured);
    frames.push({ name, title, text: frameText(frame), frame });
  };

  try {
    await firstStart(world, take);
    const chat = world.open(["chat", "--script", "SCRIPT"]);
    await ready(chat);
    await chatWithTools(world, chat, take);
    await commands(chat, take);
    const run = await ralph(world, chat, take);
    await timeTravel(world, chat, take);
    await resumed(world, chat, run, take);
    await leave(chat, take);
    return frames;
  } finally {
    world.close();
  }
}

/** The program is started from its sources, on a machine that may be busy. */
const startLimitMs = 120_000;
const stepLimitMs = 120_000;

/** The frame once nothing changes any more: texts and their colours appear a moment after their layout. */
async function settled(pane: Pane): Promise<string> {
  let before = pane.styledFrame();
  for (let same = 0; same < 6;) {
    await Bun.sleep(100);
    const now = pane.styledFrame();
    const isWhole = !/^ ● *$/m.test(pane.frame());
    same = now === before && isWhole ? same + 1 : 0;
    before = now;
  }
  return before;
}

/** Code is highlighted once a keyword is a separate run. */
async function highlighted(pane: Pane, keyword: string): Promise<void> {
  for (const end = Date.now() + stepLimitMs; !pane.styledFrame().includes(`${keyword}\x1b`);) {
    if (Date.now() > end) throw new Error(`${keyword} has no colour of its own:\n${pane.frame()}`);
    await Bun.sleep(20);
  }
}

/** Replaces each generated id with a fixed one, in order of first appearance. */
function maskIds(text: string, ids: readonly string[]): string {
  let masked = text;
  for (const id of ids) {
    const at = text.indexOf(id.slice(0, 8));
    if (at === -1) continue;
    const standIn = standInOf(id);
    masked = masked.replaceAll(id, standIn).replaceAll(id.slice(0, 8), standIn.slice(0, 8));
  }
  return masked;
}

const standIns = new Map<string, string>();

function standInOf(id: string): string {
  const known = standIns.get(id);
  if (known !== undefined) return known;
  const digit = "abcdef".at(standIns.size % 6) ?? "a";
  const standIn = `${digit}1b2c3d4-e5f6-4890-abcd-ef1234567890`;
  standIns.set(id, standIn);
  return standIn;
}

/** The branch appears after the first frame, and its count of changes depends on when it is read. */
async function ready(pane: Pane): Promise<void> {
  await pane.seen("? keys", startLimitMs);
  await pane.seen("parser  main", startLimitMs);
}

async function send(pane: Pane, line: string): Promise<void> {
  pane.type(line);
  await pane.seen(line.trimEnd().slice(-12), stepLimitMs);
  pane.keys("Enter");
}

async function firstStart(world: WalkWorld, take: Take): Promise<void> {
  const first = world.open([]);
  await ready(first);
  await send(first, "hello");
  await first.seen("atomic doctor", stepLimitMs);
  await first.gone("working");
  await take(first, "first-start", "The first start, on a machine without an agent");
  await send(first, "/exit ");
  await first.seen("EXIT=0", stepLimitMs);
}

async function chatWithTools(world: WalkWorld, chat: Pane, take: Take): Promise<void> {
  await send(chat, "give the fetcher a timeout");
  await chat.seen("◐ bash  check fetch", stepLimitMs);
  world.pass(8.4 * seconds);
  await send(chat, "also log the address");
  await chat.seen("queued  1 also log the address", stepLimitMs);
  // The time of the turn, below, is drawn after that of the tool.
  await chat.seen(/check fetch +8\.4s$/m, stepLimitMs);
  await chat.seen(/^ 8\.4s +running bash/m, stepLimitMs);
  await highlighted(chat, "const");
  await take(chat, "chat", "A chat: tools with their state and time, a diff, a message that waits");
  world.openGate("fetch");
  await chat.seen("The address is logged", stepLimitMs);
  await chat.gone("working");
}

async function commands(chat: Pane, take: Take): Promise<void> {
  await send(chat, "/help ");
  await chat.seen("Slash Commands", stepLimitMs);
  await take(chat, "help", "Every slash command: /help");
  chat.keys("Escape");
  await chat.gone("Slash Commands");
  chat.type("/ra");
  await chat.seen("/ralph", stepLimitMs);
  await highlighted(chat, "const");
  await take(chat, "hints", "Commands are suggested while you type, with their arguments");
  chat.keys("Escape");
  await chat.gone("/ralph");
  chat.keys("C-u");
  await chat.gone("❯ /ra");
}

async function ralph(world: WalkWorld, chat: Pane, take: Take): Promise<string> {
  await send(chat, `/ralph ${goal}`);
  const started = await chat.seen(/Started Ralph session: \S{36}/, stepLimitMs);
  const run = /session: (\S{36})/.exec(started)?.[1] ?? "";
  for (const tool of [/work 1 +bash check retry/, /work 2 +bash check cache/, /work 3 +bash check parse/])
    await chat.seen(tool, stepLimitMs);
  // Last of all, so that it always has the same place in the record.
  world.openGate("parse");
  await chat.seen("? Which library should check the feeds?", stepLimitMs);
  world.pass(51 * seconds);
  for (const worker of [1, 2, 3]) await chat.seen(new RegExp(`work ${worker} .* 51s`), stepLimitMs);
  // It takes the focus when nothing was typed for a while.
  await chat.seen("esc later", stepLimitMs);
  await take(chat, "question", "Ralph with three workers, in the chat: one of them asks");

  chat.keys("F3");
  await chat.seen(/3 schema +asks you/, stepLimitMs);
  await chat.seen(/└ debugger +bash check retry/, stepLimitMs);
  await chat.seen(/2 cache +bash check cache/, stepLimitMs);
  world.pass(13 * seconds);
  for (const time of [/100 .* 1m04s/, /1 retry .* 1m04s/, /3 schema .* 1m04s/]) await chat.seen(time, stepLimitMs);
  await take(chat, "control", "The same run in mission control: a lane per worker, the graph, the timeline");

  chat.keys("F2");
  await chat.seen("? Which library should check the feeds?", stepLimitMs);
  chat.keys("Tab", "1");
  world.openGate("retry");
  await chat.seen(/work 3 +bash check schema/, stepLimitMs);
  chat.keys("F3");
  await chat.seen(" 1/4 ", stepLimitMs);
  // What was done is landed, and everything about it is on record.
  await settled(chat);
  chat.keys("F2");
  world.pass(30 * seconds);
  chat.keys("Escape");
  await chat.seen("Resume with: /ralph --resume", stepLimitMs);
  await take(chat, "pause", "Esc pauses the run, and says how to resume it");
  return run;
}

async function timeTravel(world: WalkWorld, chat: Pane, take: Take): Promise<void> {
  chat.keys("F3");
  await chat.seen("r resumes", stepLimitMs);
  chat.keys("S-Left");
  await chat.seen("past · read-only", stepLimitMs);
  await take(chat, "scrub", "Back in time: every pane shows that moment, read-only");
  chat.keys("f");
  await chat.seen("This run stays as it is.", stepLimitMs);
  await take(chat, "fork", "A fork: a new run with everything up to that moment; the old run stays");
  world.pass(5 * seconds);
  chat.keys("Enter");
  await chat.seen("Resumed here", stepLimitMs);
  await chat.seen(/3 schema +asks you/, stepLimitMs);
  await chat.seen(/2 cache +bash check cache/, stepLimitMs);
  await chat.seen(" 1/4 ", stepLimitMs);
  await settled(chat);
  chat.keys("p");
  await chat.seen("Paused.", stepLimitMs);
  chat.keys("F2");
}

async function resumed(world: WalkWorld, chat: Pane, run: string, take: Take): Promise<void> {
  await send(chat, `/ralph --resume ${run}`);
  // One after the other, so that their work always lands in the same order.
  await chat.seen(/work 2 +bash check cache/, stepLimitMs);
  await chat.seen(/work 3 +bash check schema/, stepLimitMs);
  world.pass(21 * seconds);
  world.openGate("cache");
  chat.keys("F4");
  await chat.seen(" 2/4 ", stepLimitMs);
  chat.keys("F2");
  world.openGate("schema");
  await chat.seen("workflow completed successfully.", stepLimitMs);
  await take(chat, "resume", "Resumed: recorded work is not repeated");
  world.pass(3 * minutes);
  chat.keys("F4");
  await chat.seen("✓ ralph", stepLimitMs);
  await take(chat, "runs", "Runs of all folders and processes");
  chat.keys("Down");
  await chat.seen("❯ ✓ ralph", stepLimitMs);
  chat.keys("Enter");
  await chat.seen("end ▶", stepLimitMs);
  chat.keys("F5");
  await chat.seen(/4 docs .* fresh/, stepLimitMs);
  await take(chat, "evidence", "The evidence: what was checked, and whether it still holds");
}

async function leave(chat: Pane, take: Take): Promise<void> {
  chat.keys("F2");
  await chat.seen("❯", stepLimitMs);
  await send(chat, "/exit ");
  await chat.seen("EXIT=0", stepLimitMs);
  await take(chat, "exit", "After leaving: the last exchange and how to continue stay in the terminal");
}
