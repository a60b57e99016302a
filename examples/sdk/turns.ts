// One turn of an agent: events, questions, tools of your own, usage, failures, limits.

import {
  addUsage,
  answer,
  capabilityNames,
  declineAll,
  declined,
  defaultTurnLimits,
  defineAgentTool,
  failureKinds,
  isTerminal,
  noUsage,
  totalTokens,
  turnError,
} from "atomic/agents";
import { scriptedAgent } from "atomic/testing";
import { z } from "zod";

const lookup = defineAgentTool({
  name: "lookup",
  description: "Looks a word up",
  parameters: z.object({ word: z.string() }),
  execute: ({ word }) => `${word}: a drink`,
});

const client = scriptedAgent([
  {
    match: "Which colour",
    steps: [
      { ask: { question: "Which colour?", options: ["red", "blue"] }, as: "colour" },
      { tool: { name: "lookup", input: { word: "tea" } }, as: "found" },
      { say: "${colour}; ${found}" },
      { usage: { inputTokens: 100, outputTokens: 20, costUsd: 0.01 } },
    ],
  },
  { match: "Fail", steps: [{ fail: { kind: "overloaded", message: "try later" } }] },
]);
const session = await client.open({
  cwd: process.cwd(),
  tools: [lookup],
  limits: { ...defaultTurnLimits, silenceMs: 60_000 },
});

let used = noUsage;
const ask = { onQuestion: (question: Parameters<typeof answer>[0]) => answer(question, "blue") };
for (const [prompt, options] of [
  ["Which colour?", ask],
  ["Which colour?", { onQuestion: declineAll }], // the same as () => declined
  ["Fail.", {}],
] as const) {
  for await (const event of session.turn(prompt, options)) {
    // Exactly one event ends a turn: turn.completed, turn.failed or turn.interrupted.
    if (!isTerminal(event)) continue;
    used = addUsage(used, event.usage);
    if (event.type === "turn.completed") console.log(event.text);
    if (event.type === "turn.failed") console.log(turnError(event.failure).code, event.failure.retryable);
  }
}
console.log(totalTokens(used), used.costUsd, declined.type);
console.log(failureKinds.join(" "));
console.log(capabilityNames.includes("questions"), client.capabilities.questions);
await client.close();
