// The model's answers to what is typed into the chat screen (chat-*-walks.ts).

import { join } from "node:path";
import type { Scenarios } from "../../src/testing/model-server/scenario.ts";
import type { AgentVocabulary } from "../../src/testing/model-server/vocabulary.ts";
import { longCommand } from "../../src/testing/contracts/agent-scenarios.ts";
import { chosenColour, colourQuestion, signs } from "./ralph-scenarios.ts";

export const said = {
  hello: "Hello from the model.",
  delegated: "The sub-agent is back.",
  painted: "The snake is painted.",
  tools: "Both tools have run.",
} as const;

/** The sub-agent that the model starts by itself: one that comes with the program. */
export const delegate = "debugger";

export function chatScenarios(words: AgentVocabulary): Scenarios {
  return {
    "chat-hello": [{ text: said.hello }],

    // Two tools, and nothing in between that could ask.
    "chat-tools": ({ folder }) => [
      { tools: [words.write(join(folder, "one.txt"), "one\n")] },
      { tools: [words.shell(`cat '${folder}/one.txt' > '${folder}/two.txt'`)] },
      { text: said.tools },
    ],

    "chat-delegate": ({ folder }) => [
      { tools: [words.subagent("look around", `Look around. @@chat-look:${folder}`, delegate)] },
      { text: said.delegated },
    ],

    // Reports that it is at work, and works until it may continue.
    "chat-look": ({ folder }) => [
      {
        tools: [
          words.shell(
            `cd '${folder}' && touch ${signs.holding} && until [ -e ${signs.go} ]; do sleep 0.2; done; echo looked`,
          ),
        ],
      },
      { text: "I have looked around." },
    ],

    "chat-choose": ({ folder, request }) => [
      { tools: [words.ask(colourQuestion.text, colourQuestion.options)] },
      { tools: [words.write(join(folder, signs.colour), `${chosenColour(request)}\n`)] },
      { text: said.painted },
    ],

    "chat-long": ({ folder }) => [{ tools: [words.shell(longCommand(folder))] }, { text: "It ended by itself." }],

    "chat-recall": ({ request }) => {
      const marked = request.messages.filter(({ role, text }) => role === "user" && text.includes("@@chat-"));
      return [{ text: `I remember ${marked.length} messages.` }];
    },
  };
}
