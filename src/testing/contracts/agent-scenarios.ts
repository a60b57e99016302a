// The scenarios of the contract suite, as answers of the model server in each program's own vocabulary. The scripted
// agent has the same scenarios as a script (../scripted-contract.ts).

import type { AgentVocabulary } from "../model-server/vocabulary.ts";
import type { ModelRequest } from "../model-server/model-request.ts";
import type { ModelAnswer, Scenario } from "../model-server/scenario.ts";

export const contractScenarioNames = [
  "answer",
  "reason",
  "write",
  "two-tools",
  "ruled-commands",
  "failing-tool",
  "subagent",
  "two-subagents",
  "defined-subagent",
  "long-subagent",
  "ask",
  "slow",
  "shell-long",
  "recall",
  "another-model",
  "own-tool",
  "huge-output",
  "bad-bytes",
  "error-401",
  "error-429",
  "error-429-reset",
  "error-500",
  "error-overflow",
  "cut",
  "silent",
  "empty",
  "blank",
  "page",
  "refusal",
  "always-cut-off",
  "cut-off-work",
] as const;

export type ContractScenario = (typeof contractScenarioNames)[number];

/** The texts and files of the scenarios, which the cases compare with. */
export const contractTexts = {
  answer: "The answer to the question is forty-two, as is well known.",
  reasoning: "First I think about it.",
  fileContent: "hello from the agent\n",
  done: "All done.",
  refusal: "I can't help with that.",
  subagentReport: "The sub-agent reports success.",
  definedSubagent: "tester",
  question: "Which colour do you want?",
  options: ["red", "blue"],
  anotherModel: "another-model",
  ownTool: "add_numbers",
  servedUsage: { input: 1000, output: 50 },
} as const;

/** A command that reports its start and then runs until it is killed. Some shell tools refuse a bare `sleep`. */
export function longCommand(folder: string): string {
  return `touch '${folder}/started' && tail -f '${folder}/started'`;
}

const slowText = "This text is written slowly, piece by piece, and never to its end. ".repeat(10);

const failures = {
  "error-401": { status: 401, type: "authentication_error", message: "invalid x-api-key" },
  "error-429": {
    status: 429,
    type: "rate_limit_error",
    message: "This request would exceed your account's rate limit. Please try again later.",
  },
  "error-429-reset": {
    status: 429,
    type: "rate_limit_error",
    message: "This request would exceed your account's rate limit. Please try again in 60 minutes.",
    headers: { "retry-after": "3600" },
  },
  "error-500": { status: 500, type: "api_error", message: "Internal server error" },
  "error-overflow": {
    status: 400,
    type: "invalid_request_error",
    message: "prompt is too long: 250000 tokens > 200000 maximum",
  },
} as const;

/** `ownToolName` is what the program calls a tool of ours: `mcp__atomic__add_numbers`. */
export function contractScenarios(
  words: AgentVocabulary,
  ownToolName: string,
): Readonly<Record<ContractScenario | "subagent-one" | "subagent-two", Scenario>> {
  const failing = (name: keyof typeof failures): Scenario => [{ error: failures[name] }];
  const { question, options, done, fileContent, subagentReport } = contractTexts;
  return {
    answer: [{ text: contractTexts.answer, usage: contractTexts.servedUsage }],
    reason: [{ thinking: contractTexts.reasoning, text: contractTexts.answer }],
    write: ({ folder }) => [
      { text: "I will write a file.", tools: [words.write(`${folder}/hello.txt`, fileContent)] },
      { text: done },
    ],
    "two-tools": ({ folder }) => [
      { tools: [words.write(`${folder}/hello.txt`, fileContent)] },
      { tools: [words.shell(`cp '${folder}/hello.txt' '${folder}/copy.txt' && echo copied`)] },
      { text: done },
    ],
    "ruled-commands": ({ folder }) => [
      { tools: [words.shell(`touch '${folder}/allowed.txt'`)] },
      { tools: [words.shell(`mkdir '${folder}/refused'`)] },
      { tools: [words.shell(`touch '${folder}/again.txt' && mkdir '${folder}/hidden'`)] },
      { text: done },
    ],
    "failing-tool": [{ tools: [words.shell("echo it goes wrong; exit 3")] }, { text: "The command failed." }],
    subagent: ({ folder }) => [
      { tools: [words.subagent("write one", `Do this: @@subagent-one:${folder}`)] },
      { text: done },
    ],
    "two-subagents": ({ folder }) => [
      {
        tools: [
          words.subagent("write one", `Do this: @@subagent-one:${folder}`),
          words.subagent("write two", `Do this: @@subagent-two:${folder}`),
        ],
      },
      { text: done },
    ],
    "defined-subagent": ({ folder }) => [
      { tools: [words.subagent("write one", `Do this: @@subagent-one:${folder}`, contractTexts.definedSubagent)] },
      { text: done },
    ],
    "long-subagent": ({ folder }) => [
      { tools: [words.subagent("wait", `Do this: @@shell-long:${folder}`)] },
      { text: done },
    ],
    "subagent-one": ({ folder }) => [{ tools: [words.write(`${folder}/one.txt`, "one\n")] }, { text: subagentReport }],
    "subagent-two": ({ folder }) => [{ tools: [words.write(`${folder}/two.txt`, "two\n")] }, { text: subagentReport }],
    ask: ({ request }) => [{ tools: [words.ask(question, options)] }, { text: `The reply was: ${lastText(request)}` }],
    slow: [{ text: slowText, hangAfter: 3 }],
    "shell-long": ({ folder }) => [{ tools: [words.shell(longCommand(folder))] }, { text: "It ended by itself." }],
    recall: ({ request }) => [{ text: `I remember ${markedMessages(request)} tasks.` }],
    "another-model": [{ text: contractTexts.answer, model: contractTexts.anotherModel }],
    "own-tool": ({ request }) => [
      { tools: [{ name: ownToolName, input: { a: 2, b: 3 } }] },
      { text: `The tool said ${lastText(request)}` },
    ],
    "huge-output": [{ tools: [words.shell("head -c 104857600 /dev/zero | tr '\\0' x")] }, { text: done }],
    "bad-bytes": [{ tools: [words.shell("printf 'before\\377\\376after\\n'")] }, { text: done }],
    "error-401": failing("error-401"),
    "error-429": failing("error-429"),
    "error-429-reset": failing("error-429-reset"),
    "error-500": failing("error-500"),
    "error-overflow": failing("error-overflow"),
    cut: [{ text: slowText, cutAfter: 3 } satisfies ModelAnswer],
    silent: [{ isSilent: true }],
    empty: [{}],
    blank: [{ text: " \n\t " }],
    page: [{ page: "<!doctype html><html><body><h1>Sign in to continue</h1></body></html>" }],
    refusal: [{ text: contractTexts.refusal, stop: "refusal" }],
    "always-cut-off": [{ text: contractTexts.answer, stop: "max_tokens" }],
    "cut-off-work": ({ folder }) => [
      { tools: [words.write(`${folder}/hello.txt`, fileContent)] },
      { text: contractTexts.answer, stop: "max_tokens" },
    ],
  };
}

/** What the tools of the last answer returned. Programs may add remarks after it. */
function lastText(request: ModelRequest): string {
  const last = request.messages.findLastIndex(({ role }) => role === "assistant");
  return request.messages
    .slice(last + 1)
    .filter(({ role }) => role !== "system")
    .map(({ text }) => text)
    .join("\n");
}

function markedMessages(request: ModelRequest): number {
  return request.messages.filter(({ role, text }) => role === "user" && text.includes("@@")).length;
}
