// A short question to a program (`--version`, a login status): its output, within limits of time and size. Never throws.

import { spawn } from "node:child_process";
import type { Environment } from "./child-environment.ts";
import { afterExit } from "./after-exit.ts";
import { endGroup } from "./process-group.ts";

export interface BriefRun {
  /** Undefined when it did not start, or had to be killed. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why there is no exit code. */
  readonly problem: string | undefined;
}

const maxChars = 65_536;

export function runBriefly(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Environment; readonly limitMs: number },
): Promise<BriefRun> {
  return new Promise((resolve) => {
    let stdout = "";
    let stderr = "";
    const finish = (exitCode: number | undefined, problem: string | undefined): void => {
      clearTimeout(timer);
      resolve({ exitCode, stdout, stderr, problem });
    };
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const timer = setTimeout(() => {
      if (child.pid !== undefined) endGroup(child.pid, "SIGKILL");
      finish(undefined, `no answer within ${options.limitMs} ms`);
    }, options.limitMs);
    // Text beyond the limit is read and dropped, so that the program is not blocked.
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout = (stdout + text).slice(0, maxChars)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(0, maxChars)));
    child.on("error", (error) => finish(undefined, error.message));
    afterExit(child, (code, signal) => finish(code ?? undefined, signal === null ? undefined : `ended by ${signal}`));
  });
}
