// The model's answers to ralph's prompts. One scenario for all of them, `@@snake:FOLDER`: the prompt itself names the
// task. The marker is in the description of a task or in the user's prompt, never in a title, because a worker gets the
// titles of all others.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ModelRequest } from "../../src/testing/model-server/model-request.ts";
import type {
  ModelAnswer,
  ModelToolCall,
  ScenarioContext,
  Scenarios,
} from "../../src/testing/model-server/scenario.ts";
import type { AgentVocabulary, TodoItem } from "../../src/testing/model-server/vocabulary.ts";
import { longCommand } from "../../src/testing/contracts/agent-scenarios.ts";
import type { SnakeFile, SnakeKit } from "./ralph-snake.ts";

/** Titles of the tasks, by what happens in them. */
export const titles = {
  rules: "The rules of the game",
  terminal: "The game in a terminal",
  long: "A build that takes long",
  colour: "The colour of the snake",
  hold: "Something that waits for a file",
  meet: "Something that waits for the other run",
  explain: "Nobody says how to play",
  listed: "A list of one's own",
  relisted: "The same list once more",
} as const;

export type TaskName = keyof typeof titles;

export const colourQuestion = { text: "Which colour shall the snake have?", options: ["green", "blue"] } as const;

/** An agent's own list, which is always wrong: pending tasks are done, and done tasks are pending. */
export const ownList: readonly TodoItem[] = [
  { title: titles.listed, status: "pending" },
  { title: titles.explain, status: "completed" },
  { title: "Something that nobody asked for", status: "in_progress" },
];

/** The files that a task waits for or leaves, in the project. */
export const signs = {
  holding: "holding",
  go: "go",
  colour: "colour.txt",
  played: "played",
  built: "built",
  readme: "README.md",
} as const;

export const saysInterrupted = (prompt: string): boolean => prompt.includes("You were interrupted while you worked");

/** The newest prompt of a request that is one of ours. */
export function promptOf(request: ModelRequest | undefined): string {
  return request?.messages.findLast(({ role, text }) => role === "user" && text.includes("@@"))?.text ?? "";
}

export function ralphScenarios(words: AgentVocabulary, kit: SnakeKit): Scenarios {
  const inFolder = (folder: string, command: string): ModelToolCall => words.shell(`cd '${folder}' && ${command}`);
  const write = (folder: string, files: readonly SnakeFile[]): ModelAnswer[] => [
    { tools: [inFolder(folder, `mkdir -p ${files.map(({ path }) => dirname(path)).join(" ")}`)] },
    { tools: files.map(({ path, content }) => words.write(join(folder, path), content)) },
  ];
  const done: ModelAnswer = { text: "The task is done." };
  const writeList: readonly ModelAnswer[] = [...words.todo(ownList).map((call) => ({ tools: [call] })), done];

  const tasks: Readonly<Record<TaskName, (context: ScenarioContext, prompt: string) => readonly ModelAnswer[]>> = {
    rules: ({ folder }, prompt) =>
      prompt.includes("An earlier try of this task did not pass")
        ? [{ text: "A snake that eats has to grow.", tools: [inFolder(folder, kit.fix)] }, done]
        : [...write(folder, kit.rules), done],
    terminal: ({ folder }) => [...write(folder, [kit.terminal]), { tools: [inFolder(folder, kit.playCommand)] }, done],
    long: ({ folder }, prompt) =>
      saysInterrupted(prompt)
        ? [{ tools: [inFolder(folder, `touch ${signs.built}`)] }, done]
        : [{ text: "I build it.", tools: [words.shell(longCommand(folder))] }, done],
    colour: ({ folder, request }) => [
      { tools: [words.ask(colourQuestion.text, colourQuestion.options)] },
      { tools: [words.write(join(folder, signs.colour), `${chosenColour(request)}\n`)] },
      done,
    ],
    explain: ({ folder }) => [{ tools: [words.write(join(folder, signs.readme), "w, a, s and d turn.\n")] }, done],
    hold: ({ folder }) => [
      { tools: [inFolder(folder, `touch ${signs.holding} && until [ -e ${signs.go} ]; do sleep 0.2; done`)] },
      done,
    ],
    listed: () => writeList,
    relisted: () => writeList,
    // Two shells, each with its own sign.
    meet: ({ folder }) => [
      {
        tools: [
          inFolder(
            folder,
            'mkdir -p meeting && touch meeting/$$ && until [ "$(ls meeting | wc -l)" -ge 2 ]; do sleep 0.2; done',
          ),
        ],
      },
      done,
    ],
  };

  const content: ModelAnswer = { text: JSON.stringify({ verdict: "correct", findings: [] }) };

  function snake(context: ScenarioContext): readonly ModelAnswer[] {
    const prompt = promptOf(context.request);
    if (prompt.includes("Review the work that was just done")) return [content];
    if (prompt.includes("Break the following work down")) return [{ text: JSON.stringify(plan(kit)) }];
    const name = (Object.keys(titles) as TaskName[]).find((each) => prompt.includes(`no other: ${titles[each]}\n`));
    return name === undefined ? [{ text: "I do not know this task." }] : tasks[name](context, prompt);
  }

  return {
    snake,

    // As in `snake`, with a reviewer who finds something the first time.
    criticized(context) {
      const prompt = promptOf(context.request);
      const isFirst = !prompt.includes("Found by earlier reviews");
      if (isFirst && prompt.includes("Review the work that was just done")) return [{ text: JSON.stringify(critique) }];
      return snake(context);
    },

    // The same prompt again and again: what there is to do shows in the folder, as it does to a model. Twice the word
    // is not the last line.
    yolo({ folder }) {
      const has = (file: string): boolean => existsSync(join(folder, file));
      const hasRules = kit.rules.every(({ path }) => has(path));
      if (has(signs.played)) return [{ text: "I have played it.\nCOMPLETE" }];
      if (has(kit.terminal.path))
        return [
          { tools: [inFolder(folder, `${kit.fix} && ${kit.playCommand} && touch ${signs.played}`)] },
          { text: "COMPLETE\nI have yet to play it." },
        ];
      if (hasRules) return [...write(folder, [kit.terminal]), { text: "The rules are there. Not COMPLETE" }];
      return write(folder, kit.rules);
    },

    analyze: [{ text: "The snake grows in `src/lib.rs:61`." }],
  };
}

function plan(kit: SnakeKit): object {
  return {
    tasks: [
      { id: "rules", title: titles.rules, description: "What may happen on the board.", verify: kit.testCommand },
      { id: "terminal", title: titles.terminal, blockedBy: ["#rules"], verify: kit.playCommand },
    ],
  };
}

const critique = {
  verdict: "incorrect",
  findings: [
    { title: titles.explain, body: "The keys are written down nowhere.", priority: "P1" },
    { title: "The board could have colours", body: "A matter of taste.", priority: "P3" },
  ],
};

/** What the tool said that asked. */
export function chosenColour({ messages }: ModelRequest): string {
  const answer = messages
    .slice(messages.findLastIndex(({ role }) => role === "assistant") + 1)
    .map(({ text }) => text)
    .join("\n");
  // The question itself may be repeated in front of the answer.
  return [...answer.matchAll(/green|blue/g)].at(-1)?.[0] ?? "none";
}
