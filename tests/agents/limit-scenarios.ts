// A turn of many calls with the same usage: for limits that act inside a turn.

import type { Scenario, Scenarios } from "../../src/testing/model-server/scenario.ts";
import type { AgentVocabulary } from "../../src/testing/model-server/vocabulary.ts";

type PerCall = { readonly input: number; readonly output: number };

/** Little enough that no program has to shorten its context. */
export const small: PerCall = { input: 1000, output: 1000 };
/** Less than a dollar, at the prices of the models under test. */
const large: PerCall = { input: 1000, output: 40_000 };
export const calls = 11;

export function limitScenarios(words: AgentVocabulary): Scenarios {
  const spending = (usage: PerCall): Scenario => [
    ...Array.from({ length: calls - 1 }, (_, call) => ({
      text: `Call ${call + 1}.`,
      tools: [words.shell(`echo ${call + 1}`)],
      usage,
    })),
    { text: "All is spent.", usage },
  ];
  return { "spend-tokens": spending(small), "spend-money": spending(large) };
}
