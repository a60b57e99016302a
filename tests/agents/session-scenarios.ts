// What the model says to the prompts of run-sessions.ts: how much of the conversation it was sent.

import type { Scenarios } from "../../src/testing/model-server/scenario.ts";

/** The model's view: how many of the prompts it was sent carry a marker. */
export const sessionScenarios: Scenarios = {
  "session-tell": [{ text: "Noted." }],
  "session-recall": ({ request }) => {
    const marked = request.messages.filter(({ role, text }) => role === "user" && text.includes("@@session-"));
    return [{ text: `I remember ${marked.length} prompts.` }];
  },
};
