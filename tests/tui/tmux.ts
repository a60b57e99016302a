// The program in a tmux of its own, in the world of a test file, ended with it.

import { afterAll } from "bun:test";
import { join } from "node:path";
import type { CliWorld } from "../cli/cli-world.ts";
import { createTmuxServer, type Pane, type PaneOptions, tmuxProgram } from "../support/tui/tmux-server.ts";

export { tmuxProgram, type Pane };

/** Panes run the given command lines, with the environment of the world. */
export function createTmux(world: Pick<CliWorld, "root" | "project" | "env">): {
  open(words: readonly string[], options?: Partial<PaneOptions>): Pane;
  /** Ends all panes; without it they end with the file. */
  close(): void;
} {
  const server = createTmuxServer(world.env);
  afterAll(() => server.close());
  return {
    close: server.close,
    open: (words, { cwd = world.project, env, ...size } = {}) =>
      server.open(words, {
        cwd,
        env: { ...world.env, XDG_DATA_HOME: join(world.root, "xdg"), ...env },
        ...size,
      }),
  };
}
