// Reading back while the agent goes on, in tmux with the real program.

import { expect, setDefaultTimeout, test } from "bun:test";
import { createCliWorld, patienceMs, poll } from "../cli/cli-world.ts";
import { createTmux, tmuxProgram } from "./tmux.ts";

setDefaultTimeout(patienceMs);

const lines = (name: string): string => Array.from({ length: 40 }, (_, i) => `${name} ${i}`).join("\n\n");
const waitFor = (file: string) => ({ bash: `until [ -e ${file} ]; do sleep 0.05; done` });

/** The numbers of the early lines, when a whole frame was drawn and the last of them is out of view. */
function shownLines(frame: string): readonly number[] | undefined {
  const numbers = [...frame.matchAll(/early (\d+)/g)].map(([, number]) => Number(number));
  const [first = -1] = numbers;
  const isWhole = first >= 0 && numbers.every((number, i) => number === first + i);
  return isWhole && (numbers.at(-1) ?? 0) < 38 ? numbers : undefined;
}

test.skipIf(tmuxProgram === null)(
  "scrolling up stops following, what is new is counted, and Ctrl+End returns to the newest",
  async () => {
    const world = createCliWorld();
    const script = world.script("chat", [
      { match: "more", steps: [{ say: "Following again." }] },
      {
        steps: [
          { say: lines("early") },
          waitFor("go"),
          { say: "The second." },
          { bash: "true" },
          waitFor("go-on"),
          { say: lines("late") },
        ],
      },
    ]);
    const chat = createTmux(world).open([world.program, "chat", "--script", script, "start"]);
    // Paragraphs have room between them once Markdown is drawn as such.
    await chat.seen(/early 38 *\n *\n +early 39/);
    await chat.seen(/◐ +bash/i);
    chat.keys("PPage");
    const read = await poll(() => shownLines(chat.frame()));
    expect(chat.frame()).not.toContain("new ↓");

    // The command that ended, the text, and the command after it.
    world.write("project/go", "");
    await chat.seen("3 new ↓");
    expect(chat.frame()).not.toContain("The second.");
    // The next command and the text after it: five in all.
    world.write("project/go-on", "");
    await chat.seen("5 new ↓");
    expect(chat.frame()).not.toContain("late");
    expect(shownLines(chat.frame())?.[0]).toBe(read[0]);

    chat.keys("C-End");
    await chat.seen("late 39");
    await chat.gone("new ↓");
    // It follows again.
    chat.type("more");
    chat.keys("Enter");
    await chat.seen("Following again.");
  },
);
