// What we send to the terminal beside the screen itself: a text for its clipboard, a bell and a notification. Pure;
// tmux handles the clipboard by itself.

import { noticeSequence } from "../../lib/terminal-notice.ts";

const escape = "\x1b";
const bell = "\x07";
/** Terminals drop more than about this. */
const maxClipboardBytes = 100_000;

export interface ClipboardText {
  readonly sequence: string;
  /** How much of it is sent. */
  readonly characters: number;
}

/** OSC 52. A terminal may ignore it, and does not answer. */
export function clipboardSequence(text: string): ClipboardText {
  let sent = text;
  while (Buffer.byteLength(sent) > maxClipboardBytes) sent = sent.slice(0, Math.floor(sent.length * 0.9));
  return {
    sequence: `${escape}]52;c;${Buffer.from(sent).toString("base64")}${bell}`,
    characters: sent.length,
  };
}

/** A bell, and a notification (OSC 9) where the terminal knows those. */
export function attentionSequence(text: string, isTmux: boolean): string {
  return bell + noticeSequence(text, isTmux);
}

/** Focus reports: the renderer reads them and does not ask for them. */
export const askForFocus = `${escape}[?1004h`;
