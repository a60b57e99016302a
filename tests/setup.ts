// Runs before every test file. `npm test` starts Bun with a separate home (scripts/test.ts); this file covers a
// plain `bun test some/path`, where the process has the developer's real home: what reads `process.env` is redirected.
// What asks the operating system (`os.homedir()`, a child started without `env`) can't be redirected from inside, so
// code under test takes its folders and its environment as arguments.

import { afterAll, setDefaultTimeout } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeVariables } from "../scripts/test-environment.ts";

setDefaultTimeout(20_000);

if (process.env["ATOMIC_TEST_HOME"] === undefined) {
  const root = mkdtempSync(join(tmpdir(), "atomic-test-"));
  Object.assign(process.env, homeVariables(root));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
}
