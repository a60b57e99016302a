// The colours of the screens, read from what the terminal was sent: `/theme` changes them for this session, the setting
// and `--theme` decide how the next one starts.

import { expect, setDefaultTimeout, test } from "bun:test";
import { themes } from "../../src/tui/theme.ts";
import { createCliWorld, patienceMs, poll } from "../cli/cli-world.ts";
import { createTmux, type Pane, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const skip = test.skipIf(tmuxProgram === null);
const world = createCliWorld();
const script = world.script("chat", [{ steps: [{ say: "Hello." }] }]);
const tmux = createTmux(world);

async function openChat(...words: readonly string[]): Promise<Pane> {
  const chat = tmux.open([world.program, "chat", "--script", script, ...words], { env: { COLORTERM: "truecolor" } });
  await chat.seen("? keys");
  return chat;
}

/** As a terminal is told: `2;16;20;24`. */
function spelled(colour: string): string {
  return `2;${[1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)).join(";")}`;
}

/** Waits until text and background have the colours of the theme, and nothing has those of the other one. */
async function inColours(chat: Pane, name: "dark" | "light"): Promise<void> {
  const { foreground, background, muted } = themes[name];
  const other = themes[name === "dark" ? "light" : "dark"];
  await poll(() => {
    const frame = chat.styledFrame();
    const has = (place: 38 | 48, colour: string): boolean => frame.includes(`${place};${spelled(colour)}`);
    const isShown = has(48, background) && (has(38, foreground) || has(38, muted));
    return (isShown && !has(48, other.background) && !has(38, other.foreground)) || undefined;
  });
}

async function send(chat: Pane, line: string): Promise<void> {
  chat.type(`${line} `);
  await chat.seen(`❯ ${line}`);
  chat.keys("Enter");
  await chat.gone(`❯ ${line}`);
}

skip("/theme light, /theme dark and /theme alone change the colours of every screen; another name is refused", async () => {
  const chat = await openChat();
  await inColours(chat, "dark");
  await send(chat, "/theme light");
  await inColours(chat, "light");
  // The other screens too.
  chat.keys("F3");
  await chat.seen("mission control");
  await inColours(chat, "light");
  chat.keys("F2");
  await chat.seen("? keys");
  await send(chat, "/theme light");
  await inColours(chat, "light");
  await send(chat, "/theme dark");
  await inColours(chat, "dark");
  await send(chat, "/theme");
  await inColours(chat, "light");
  await send(chat, "/theme");
  await inColours(chat, "dark");
  await send(chat, "/theme pink");
  await chat.seen("There are two themes: /theme dark, /theme light.");
  await inColours(chat, "dark");
});

skip("/theme is for the session; the setting and --theme decide how the next one starts", async () => {
  const first = await openChat();
  await send(first, "/theme light");
  await inColours(first, "light");
  first.type("/exit ");
  first.keys("Enter");
  await first.seen("EXIT=0");
  await inColours(await openChat(), "dark");

  expect((await world.run(["config", "set", "theme", "light"])).exitCode).toBe(0);
  await inColours(await openChat(), "light");
  await inColours(await openChat("--theme", "dark"), "dark");
});
