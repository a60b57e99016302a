// The scenarios of the agent contract (contracts/agent-scenarios.ts) as a script, and the harness of the scripted agent.

import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { createProcessRegistry } from "../agents/process/process-registry.ts";
import { reapOrphans } from "../agents/process/reap-orphans.ts";
import { createFileMemory } from "../agents/scripted/script-memory.ts";
import { parseScript, type Script, type ScriptStep } from "../agents/scripted/script-schema.ts";
import { createScriptedClient } from "../agents/scripted/scripted-client.ts";
import type { AgentClient } from "../agents/port.ts";
import { systemClock, type Clock } from "../lib/clock.ts";
import type { AgentHarness } from "./contracts/agent-harness.ts";
import { contractTexts, type ContractScenario } from "./contracts/agent-scenarios.ts";
import { scenarioPrompt } from "./model-server/scenario.ts";

const {
  answer,
  reasoning,
  fileContent,
  done,
  subagentReport,
  definedSubagent,
  question,
  options,
  anotherModel,
  ownTool,
  servedUsage,
  refusal,
} = contractTexts;
const usage = { usage: { inputTokens: servedUsage.input, outputTokens: servedUsage.output, costUsd: 0.004 } };
const write: ScriptStep = { write: { path: "hello.txt", content: fileContent } };

const steps: Readonly<Record<ContractScenario | "subagent-one" | "subagent-two", readonly ScriptStep[]>> = {
  answer: [{ say: answer }, usage],
  reason: [{ think: reasoning }, { say: answer }],
  write: [write, { say: done }],
  "two-tools": [write, { bash: "cp hello.txt copy.txt && echo copied" }, { say: done }],
  "ruled-commands": [
    { bash: "touch allowed.txt" },
    { bash: "mkdir refused" },
    { bash: "touch again.txt && mkdir hidden" },
    { say: done },
  ],
  "failing-tool": [{ bash: "echo it goes wrong; exit 3" }, { say: "The command failed." }],
  subagent: [{ subagent: { agent: "helper", prompt: "@@subagent-one" } }, { say: done }],
  "two-subagents": [
    {
      subagent: [
        { agent: "helper", prompt: "@@subagent-one" },
        { agent: "helper", prompt: "@@subagent-two" },
      ],
    },
    { say: done },
  ],
  "defined-subagent": [{ subagent: { agent: definedSubagent, prompt: "@@subagent-one" } }, { say: done }],
  "long-subagent": [{ subagent: { agent: "helper", prompt: "@@shell-long" } }, { say: done }],
  "subagent-one": [{ write: { path: "one.txt", content: "one\n" } }, { say: subagentReport }],
  "subagent-two": [{ write: { path: "two.txt", content: "two\n" } }, { say: subagentReport }],
  ask: [{ ask: { question, options: [...options] }, as: "colour" }, { say: "The reply was: ${colour}" }],
  slow: [{ say: "This text is written slowly" }, { waitMs: 60_000 }, { say: ", and never to its end." }],
  "shell-long": [{ bash: 'touch "$PWD/started" && tail -f "$PWD/started"' }, { say: "It ended by itself." }],
  recall: [{ say: "I remember 1 task." }],
  "another-model": [{ model: anotherModel }, { say: answer }],
  "own-tool": [{ tool: { name: ownTool, input: { a: 2, b: 3 } }, as: "sum" }, { say: "The tool said ${sum}" }],
  "huge-output": [{ bash: "head -c 104857600 /dev/zero | tr '\\0' x" }, { say: done }],
  "bad-bytes": [{ bash: "printf 'before\\377\\376after\\n'" }, { say: done }],
  "error-401": [{ fail: { kind: "auth", message: "The key was refused." } }],
  "error-429": [{ fail: { kind: "rate_limited" } }],
  "error-429-reset": [{ fail: { kind: "rate_limited", resetInMs: 3_600_000 } }],
  "error-500": [{ fail: { kind: "overloaded" } }],
  "error-overflow": [{ fail: { kind: "context_overflow" } }],
  cut: [{ say: "This text is written slow" }, { crash: 1 }],
  silent: [{ hang: true }],
  empty: [],
  blank: [{ say: " \n\t " }],
  page: [{ fail: { kind: "invalid_output", message: "The answer is a page of HTML." } }],
  refusal: [{ say: refusal }, { fail: { kind: "refused" } }],
  "always-cut-off": [{ say: answer }, { fail: { kind: "invalid_output" } }],
  "cut-off-work": [write, { say: answer }, { fail: { kind: "invalid_output" } }],
};

const remembering = [
  { match: "@@recall", remembers: "@@write[^]*@@two-tools[^]*@@two-tools", steps: [{ say: "I remember 4 tasks." }] },
  { match: "@@recall", remembers: "@@answer", steps: [{ say: "I remember 2 tasks." }] },
];

const contractScript: Script = parseScript(
  {
    version: 1,
    turns: [
      ...remembering,
      ...Object.entries(steps).map(([name, list]) => ({ match: `@@${name}(?![\\w-])`, steps: list })),
    ],
  },
  "the contract's script",
);

export function contractScriptClient(root: string, clock: Clock = systemClock): AgentClient {
  return createScriptedClient({
    script: contractScript,
    source: "the contract's script",
    env: { PATH: process.env["PATH"] ?? "", HOME: root },
    registry: createProcessRegistry(join(root, "pids")),
    memory: createFileMemory(join(root, "memory"), undefined),
    clock,
  });
}

export function scriptedHarness(root: string): AgentHarness {
  mkdirSync(root, { recursive: true });
  const client = contractScriptClient(root);
  return {
    client,
    newFolder: () => realpathSync(mkdtempSync(join(root, "work-"))),
    prompt: scenarioPrompt,
    open: { model: "scripted" },
    silenceMs: 200,
    otherModel: "scripted-large",
    newClient: async () => contractScriptClient(root),
    hostCommand: (folder, prompt) => ({
      file: process.execPath,
      args: [join(import.meta.dirname, "scripted-host.ts"), root, folder, prompt],
      env: { PATH: process.env["PATH"] ?? "", HOME: root },
    }),
    reap: async () => void (await reapOrphans({ folder: join(root, "pids"), clock: systemClock, graceMs: 1000 })),
    plantProject: async () => ({ traces: [] }),
    requests: () => undefined,
  };
}
