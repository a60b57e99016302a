// The pages whose commands are run, and what a reader has besides an empty folder.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Reader } from "./play-page.ts";

export interface PlayedDocument {
  readonly page: string;
  /** The files before the first command. */
  readonly prepare?: (reader: Reader) => void;
}

export const playedPages: readonly PlayedDocument[] = [
  { page: "README.md" },
  { page: "docs/agent-setup.md", prepare: installStandIns },
  { page: "docs/authoring.md" },
  { page: "docs/ralph.md" },
  { page: "docs/troubleshooting.md" },
];

/** Stand-ins for Claude Code that answer `doctor`, before and after a login. The page installs them. */
function installStandIns({ home }: Reader): void {
  for (const [name, isLoggedIn] of [
    ["not-logged-in", false],
    ["logged-in", true],
  ] as const) {
    const file = join(home, "stand-ins", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      `#!/bin/sh\ncase "$1" in\n--version) echo "2.1.325 (Claude Code)" ;;\n*) echo '{ "loggedIn": ${isLoggedIn} }' ;;\nesac\n`,
    );
    chmodSync(file, 0o755);
  }
}
