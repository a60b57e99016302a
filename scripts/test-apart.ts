// Tests that `npm test` does not run, by the end of their files' names: `npm run test:terminal` runs every
// tests/**/*.terminal.ts, `npm run test:kills` every tests/**/*.kills.ts. Flags go to `bun test` (`-t question`).
// Last line: "N passed, M failed"; with ATOMIC_TEST_COUNTS=FILE it goes to that file instead.

import { join } from "node:path";

const [kind, ...flags] = process.argv.slice(2);
const projectRoot = join(import.meta.dir, "..");
const suites = [...new Bun.Glob(`tests/**/*.${kind}.ts`).scanSync(projectRoot)].map((path) => `./${path}`).toSorted();
const child = Bun.spawn(
  [process.execPath, "--no-env-file", join(projectRoot, "scripts/test.ts"), ...flags, ...suites],
  {
    cwd: projectRoot,
    env: process.env,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
process.exitCode = await child.exited;
