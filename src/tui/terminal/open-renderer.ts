// The renderer on the terminal of this process, which writes without waiting for it (output.ts). With a custom
// output it doesn't check the terminal's size and the environment itself: that is done here.

import { type CliRenderer, type CliRendererConfig, createCliRenderer } from "@opentui/core";
import { createTerminalOutput, openTerminal, type TerminalOutput } from "./output.ts";

const rendererOptions = {
  exitOnCtrlC: false,
  exitSignals: [],
  openConsoleOnError: false,
  consoleMode: "disabled",
  screenMode: "alternate-screen",
  useKittyKeyboard: {},
  targetFps: 30,
  // A key is drawn at once; what an agent writes is collected for a thirtieth of a second before.
  maxFps: 60,
} satisfies CliRendererConfig;

/** While a window is dragged it has many sizes. */
const resizePauseMs = 100;
const remoteVariables = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "MOSH_CONNECTION"];

export interface OpenRendererOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly inputHandlers?: readonly ((sequence: string) => boolean)[];
}

export interface OpenedRenderer {
  readonly renderer: CliRenderer;
  readonly output: TerminalOutput;
}

export async function openRenderer({ environment, inputHandlers = [] }: OpenRendererOptions): Promise<OpenedRenderer> {
  const output = createTerminalOutput({ put: openTerminal(), terminal: process.stdout });
  const renderer = await createCliRenderer({
    ...rendererOptions,
    stdout: output.stream,
    remote: remoteVariables.some((name) => environment[name] !== undefined),
    prependInputHandlers: [...inputHandlers],
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onResize = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => renderer.resize(process.stdout.columns, process.stdout.rows), resizePauseMs);
  };
  process.on("SIGWINCH", onResize);
  renderer.once("destroy", () => {
    clearTimeout(timer);
    process.off("SIGWINCH", onResize);
  });
  return { renderer, output };
}
