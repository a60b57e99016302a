// The version of a program, and the refusal of one that is too old or says nothing that can be understood.

import { AtomicError } from "../../lib/errors.ts";
import { compareVersions, parseVersion } from "../../lib/versions.ts";
import type { Environment } from "./child-environment.ts";
import { runBriefly } from "./run-briefly.ts";

export interface VersionOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly args?: readonly string[] | undefined;
  readonly limitMs?: number | undefined;
}

/** The first version number in what `PROGRAM --version` prints. Throws AGENT_UNAVAILABLE if it prints none. */
export async function programVersion(path: string, options: VersionOptions): Promise<string> {
  const run = await runBriefly(path, options.args ?? ["--version"], {
    cwd: options.cwd,
    env: options.env,
    limitMs: options.limitMs ?? 20_000,
  });
  const version = /\bv?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)/.exec(run.exitCode === 0 ? run.stdout : "")?.[1];
  if (version !== undefined && parseVersion(version) !== undefined) return version;
  const said = `${run.stdout}\n${run.stderr}`.trim().slice(0, 300);
  const how = run.problem ?? `exit code ${run.exitCode}`;
  throw new AtomicError(
    "AGENT_UNAVAILABLE",
    `"${path}" does not work: asked for its version, it ended with ${how}${said === "" ? "" : ` and said: ${JSON.stringify(said)}`}. Install it again, or set another path in your settings.`,
    {
      details: { path },
    },
  );
}

export function requireVersion(program: {
  readonly name: string;
  readonly path: string;
  readonly version: string;
  readonly minimum: string;
  readonly install: string;
}): void {
  const [actual, minimum] = [parseVersion(program.version), parseVersion(program.minimum)];
  if (actual !== undefined && minimum !== undefined && compareVersions(actual, minimum) >= 0) return;
  throw new AtomicError(
    "AGENT_UNAVAILABLE",
    `"${program.path}" is ${program.name} ${program.version}, and at least ${program.minimum} is needed. Update it: ${program.install}.`,
    {
      details: { path: program.path, version: program.version, minimum: program.minimum },
    },
  );
}
