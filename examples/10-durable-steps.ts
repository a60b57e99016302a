// A run that survives its process. This program starts the same release three times, each time as a separate process:
//
// 1. the first is killed with kill -9 while the tests run;
// 2. the second resumes: what was recorded is not done again, the interrupted node is tried again, and inside it the
//    part that had been recorded by `step` is not done again either. Then it waits for an answer, and ends;
// 3. the third brings the answer and finishes.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FileSaver } from "atomic/workflows";
import { annotation, createNode, executeGraph, graph, Reducers, waitNode } from "atomic/workflows/graph";

const [folder, way] = process.argv.slice(2);

const say = (text: string): void => console.log(`  ${text}`);

const node = (id: string) =>
  createNode<{ done: string[] }>({
    id,
    execute: () => {
      say(`${id} runs`);
      return { stateUpdate: { done: [id] } };
    },
  });

const tests = createNode<{ done: string[] }>({
  id: "tests",
  execute: async ({ attempt, step }) => {
    say(`tests run, attempt ${attempt.number}`);
    // Once this resolves it is on disk.
    const seconds = await step("compile", () => {
      say("  compiling for a long time");
      return 42;
    });
    if (way === "killed") {
      say("  kill -9");
      process.kill(process.pid, "SIGKILL");
    }
    return { stateUpdate: { done: [`tests (compiled in ${seconds} s)`] } };
  },
});

const release = graph({ done: annotation<string[]>([], Reducers.concat) })
  .start(node("plan"))
  .then(node("build"))
  .then(tests)
  .parallel({ branches: [node("package"), node("release notes")] })
  .then(waitNode({ id: "approve", prompt: "Publish?" }))
  .then(node("publish"))
  .compile({ name: "release" });

if (folder === undefined) {
  const store = mkdtempSync(join(tmpdir(), "atomic-example-"));
  for (const how of ["killed", "again", "approved"]) {
    const file = fileURLToPath(import.meta.url);
    const { signal } = spawnSync(process.execPath, [...process.execArgv, file, store, how], { stdio: "inherit" });
    if (signal !== null) console.log(`  the process is gone (${signal})`);
  }
  rmSync(store, { recursive: true });
} else {
  const isNew = way === "killed";
  console.log(isNew ? "A new run" : "The same run, in another process");
  const { status, questions, state } = await executeGraph(release, {
    journal: { store: new FileSaver({ dir: folder }), run: "release-1", resume: !isNew },
    answers: way === "approved" ? { "Publish?": "yes" } : {},
  });
  say(status === "paused" ? `paused, waits for: ${questions[0]?.text ?? ""}` : `${status}: ${state.done.join(", ")}`);
}
