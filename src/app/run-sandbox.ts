// The sandbox of a run, from the user's settings: which folders and hosts are allowed besides, and which are this
// program's own.

import type { ProgramSandbox } from "../agents/process/sandbox/program-sandbox.ts";
import { AtomicError } from "../lib/errors.ts";
import type { SandboxMode } from "../lib/sandbox-mode.ts";
import type { Settings } from "../settings/resolve-settings.ts";
import type { Folders, ProcessEnvironment } from "./folders.ts";

export interface SandboxPlace {
  /** The folder that the run works in. */
  readonly cwd: string;
  readonly treesDir: string;
  readonly sessionDir: string;
}

/** Throws SANDBOX_UNAVAILABLE where there can be none. */
export type MakeSandbox = (mode: Exclude<SandboxMode, "off">, place: SandboxPlace) => Promise<ProgramSandbox>;

/** Nothing runs without the requested sandbox. */
export async function openSandbox(
  make: MakeSandbox | undefined,
  mode: SandboxMode,
  place: SandboxPlace,
): Promise<ProgramSandbox | undefined> {
  if (mode === "off") return undefined;
  if (make !== undefined) return make(mode, place);
  throw new AtomicError("SANDBOX_UNAVAILABLE", `--sandbox ${mode} can't be used: no sandbox is set up here.`);
}

export function createMakeSandbox(
  settings: Settings,
  environment: ProcessEnvironment,
  { atomicHome }: Folders,
): MakeSandbox {
  return async (mode, { cwd, treesDir, sessionDir }) => {
    // Most runs have none.
    const { createSandbox } = await import("../agents/process/sandbox/create-sandbox.ts");
    return createSandbox({
      mode,
      environment,
      cwd,
      treesDir,
      records: [atomicHome, sessionDir],
      write: partsOf(settings.text("sandbox.write")),
      hosts: partsOf(settings.text("sandbox.hosts")),
    });
  };
}

/** Paths may hold blanks. */
function partsOf(text: string | undefined): readonly string[] {
  return (text ?? "").split(",").flatMap((part) => part.trim() || []);
}
