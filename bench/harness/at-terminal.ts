// A program at its own terminal, which `script` makes: until it ends, or until it shows a text.

import { spawn } from "node:child_process";

export interface AtTerminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

function start(command: readonly string[], { cwd, env }: AtTerminal): ReturnType<typeof spawn> {
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return spawn("script", ["-qec", `stty rows 40 cols 120; exec ${quoted}`, "/dev/null"], {
    cwd,
    env: { ...env, PATH: "/usr/bin:/bin", TERM: "xterm-256color", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "ignore"],
  });
}

export function untilItEnds(command: readonly string[], place: AtTerminal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = start(command, place);
    let said = "";
    child.stdout?.on("data", (data: Buffer) => (said = (said + data.toString("utf8")).slice(-2000)));
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code}:\n${said}`))));
  });
}

/** How long it takes, in nanoseconds. Then it is ended. */
export function untilItShows(command: readonly string[], text: string, place: AtTerminal): Promise<number> {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const child = start(command, place);
    let said = "";
    child.stdout?.on("data", (data: Buffer) => {
      said += data.toString("utf8");
      if (!said.includes(text)) return;
      resolve((performance.now() - from) * 1e6);
      child.kill("SIGKILL");
    });
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`it ended without showing ${text}:\n${said.slice(-2000)}`)));
  });
}
