// `npm run test:terminal`: the command line in real terminals and real shells, from tests/terminal. They wait for people,
// limits and terminals, so `npm test` leaves them out. Arguments go to `bun test` (`-t question`).
// Last line: "N passed, M failed"; with ATOMIC_TEST_COUNTS=FILE it goes to that file instead.

import { readdirSync } from "node:fs";
import { join } from "node:path";

const projectRoot = join(import.meta.dir, "..");
const suites = readdirSync(join(projectRoot, "tests/terminal"))
  .filter((name) => name.endsWith(".terminal.ts"))
  .map((name) => `./tests/terminal/${name}`);
const child = Bun.spawn(
  [process.execPath, "--no-env-file", join(projectRoot, "scripts/test.ts"), ...process.argv.slice(2), ...suites],
  { cwd: projectRoot, env: process.env, stdin: "ignore", stdout: "inherit", stderr: "inherit" },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
process.exitCode = await child.exited;
