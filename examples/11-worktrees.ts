// Parts of a run that work in parallel, each in a separate folder, and land one after the other. Both parts here
// change the same line: the one that comes later finds the merge in its folder, resolves it, and lands again. When the
// run is completed, everything that landed is in the user's folder.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scriptedAgent } from "atomic/testing";
import { executeWorkflow } from "atomic/workflows";
import { createNode, graph } from "atomic/workflows/graph";

const git = (...args: readonly string[]): void => {
  const author = ["-c", "user.name=Example", "-c", "user.email=example@localhost"];
  if (spawnSync("git", [...author, ...args], { stdio: "ignore" }).status !== 0) throw new Error(`git ${args[0]}`);
};
writeFileSync("greeting.txt", "Hello.\n");
git("init");
git("add", ".");
git("commit", "-m", "Start");

const say = (text: string): void => console.log(text);

const part = (id: string, greeting: string) =>
  createNode({
    id,
    execute: async (ctx) => {
      // The same folder after a crash, and in every node that asks for this name.
      const tree = await ctx.worktree(id);
      const file = join(tree.folder, "greeting.txt");
      writeFileSync(file, `${readFileSync(file, "utf8")}${greeting}\n`);
      const verify = ["! grep '^<<<<' greeting.txt"];
      let landing = await tree.land({ message: `Greet in ${id}`, verify });
      while (landing.outcome === "conflict") {
        say(`${landing.files.join(", ")} is in conflict`);
        writeFileSync(file, readFileSync(file, "utf8").replaceAll(/^(<{7}|={7}|>{7}).*\n/gm, ""));
        landing = await tree.land({ message: `Greet in ${id}`, verify });
      }
      say(`a part ${landing.outcome}`);
      await tree.remove();
    },
  });

const greet = {
  name: "greet",
  description: "Greets",
  createWorkflow: () =>
    graph()
      .start(createNode({ id: "plan", execute: () => say("two parts") }))
      .parallel({ branches: [part("french", "Bonjour."), part("german", "Guten Tag.")] })
      .compile(),
};
// No agent is needed here. In a real workflow, `agentNode({ worktree: "french", … })` works in that folder.
const result = await executeWorkflow(greet, { client: scriptedAgent([]), dir: "../runs" });
say(result.error?.message ?? result.status);
say(readFileSync("greeting.txt", "utf8").trim().split("\n").toSorted().join("\n"));
