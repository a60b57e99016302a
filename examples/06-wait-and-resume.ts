// A run can ask a question, end, and resume days later in another process. Only the branch that asks waits; the others
// finish first. This program starts itself again, so that another process really resumes it.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FileSaver } from "atomic/workflows";
import { annotation, askUserNode, createNode, executeGraph, graph, Reducers } from "atomic/workflows/graph";

const say = (id: string) =>
  createNode<{ log: string[] }>({
    id,
    execute: () => {
      console.log(`  runs: ${id}`);
      return { stateUpdate: { log: [id] } };
    },
  });

const cook = graph({ log: annotation<string[]>([], Reducers.concat) })
  .start(say("shop"))
  .parallel({
    branches: {
      kitchen: [
        askUserNode({
          id: "dish",
          question: "Soup or salad?",
          options: ["soup", "salad"],
          outputMapper: (answer) => ({ log: [`cook ${answer as string}`] }),
        }),
        say("serve"),
      ],
      table: [say("lay the table"), say("light a candle")],
    },
  })
  .then(say("eat"))
  .compile({ name: "cook" });

const [folder, answer] = process.argv.slice(2);
if (folder === undefined) {
  // The first process starts the run; the second brings the answer.
  const store = mkdtempSync(join(tmpdir(), "atomic-example-"));
  for (const given of [[], ["soup"]]) {
    spawnSync(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), store, ...given], {
      stdio: "inherit",
    });
  }
  rmSync(store, { recursive: true });
} else {
  const journal = { store: new FileSaver({ dir: folder }), run: "dinner", resume: answer !== undefined };
  console.log(answer === undefined ? "a new run" : `the run resumes, with "${answer}"`);
  const { status, questions, state } = await executeGraph(cook, {
    journal,
    answers: answer === undefined ? {} : { "Soup or salad?": answer },
  });
  console.log(status === "paused" ? `waits for: ${questions[0]?.text ?? ""}` : `done: ${state.log.join(", ")}`);
}
