// A virtual terminal for tests of screens: draws until nothing changes, or until a text is shown.

import { testRender } from "@opentui/react/test-utils";
import { act, type ReactNode } from "react";

type Rendered = Awaited<ReturnType<typeof testRender>>;

export interface VirtualTerminal {
  readonly made: Rendered;
  frame(): string;
  /** Draws until two frames are alike. */
  settle(): Promise<void>;
  /** Draws until the condition holds. */
  until(isSo: (frame: string) => boolean): Promise<string>;
  press(name: string, modifiers?: { readonly ctrl?: boolean; readonly shift?: boolean }): Promise<void>;
  type(text: string): Promise<void>;
  close(): void;
}

const maxMs = 5000;

export async function openVirtualTerminal(
  node: ReactNode,
  size: { readonly width: number; readonly height: number },
): Promise<VirtualTerminal> {
  const made = await testRender(node, { ...size, exitOnCtrlC: false });

  async function settle(): Promise<void> {
    for (let before = ""; ;) {
      await act(async () => made.renderOnce());
      const now = made.captureCharFrame();
      if (now === before) return;
      before = now;
    }
  }

  const terminal: VirtualTerminal = {
    made,
    frame: () => made.captureCharFrame(),
    settle,
    async until(isSo) {
      const began = Date.now();
      for (;;) {
        await act(async () => made.renderOnce());
        const frame = made.captureCharFrame();
        if (isSo(frame)) return frame;
        if (Date.now() - began > maxMs) throw new Error(`it was not shown:\n${frame}`);
        await act(async () => Bun.sleep(5));
      }
    },
    async press(name, modifiers = {}) {
      await act(async () => made.mockInput.pressKey(sequences[name] ?? name, modifiers));
      // A lone Esc is recognized only after a moment.
      if (name === "escape") await act(async () => Bun.sleep(60));
      await settle();
    },
    async type(text) {
      await act(async () => made.mockInput.typeText(text));
      await settle();
    },
    close: () => act(() => made.renderer.destroy()),
  };
  await settle();
  return terminal;
}

/** As terminals send them. */
const sequences: Readonly<Record<string, string>> = {
  escape: "\x1b",
  enter: "\r",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  "shift+right": "\x1b[1;2C",
  "shift+left": "\x1b[1;2D",
  end: "\x1b[F",
  home: "\x1b[H",
  tab: "\t",
  "shift+tab": "\x1b[Z",
  f1: "\x1bOP",
  f2: "\x1bOQ",
  f3: "\x1bOR",
  f4: "\x1bOS",
  f5: "\x1b[15~",
  pageDown: "\x1b[6~",
  backspace: "\x7f",
};
