// How a program is started with the sandbox of its host, where there is one.

import type { SpawnProgramOptions } from "../spawn-program.ts";
import type { ProgramNeeds, ProgramSandbox } from "./program-sandbox.ts";

export interface StartInSandbox extends SpawnProgramOptions {
  /** Where this process reaches the port that the program listens on; absent: under its own number. */
  readonly portOutside?: (() => Promise<number>) | undefined;
}

/** `worksIn`: the folder that the agent works in, which need not be the one that the program is started in. */
export async function inSandbox(
  sandbox: ProgramSandbox | undefined,
  options: SpawnProgramOptions,
  worksIn: string,
  needs: () => ProgramNeeds,
): Promise<StartInSandbox> {
  if (sandbox === undefined) return options;
  const { file, args, cwd, env, folder } = options;
  const { release, isWrapped, portOutside, ...start } = await sandbox.wrap(
    { file, args, cwd, env, folder },
    worksIn,
    needs(),
  );
  return { ...options, ...start, isWrapped, portOutside, onEnded: release };
}
