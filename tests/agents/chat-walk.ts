// The definition of a walk through the chat screen, and what it gets.

import type { Pane } from "../tui/tmux.ts";
import type { RalphProgram } from "./ralph-programs.ts";
import type { RalphWorld } from "./ralph-world.ts";

export interface ChatPlace {
  readonly world: RalphWorld;
  readonly program: RalphProgram;
  /** `atomic chat -a PROGRAM …`, ready to be typed into. */
  open(cwd: string, ...words: readonly string[]): Promise<Pane>;
  /** Waits longer than a screen needs: an agent answers. */
  seen(chat: Pane, text: string | RegExp): Promise<string>;
  send(chat: Pane, line: string): Promise<void>;
  leave(chat: Pane): Promise<void>;
  status(run: string): string;
}

export interface ChatWalk {
  readonly name: string;
  readonly run: (place: ChatPlace) => Promise<void>;
}
