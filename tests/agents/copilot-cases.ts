// Cases of Copilot besides the contract: commands and sub-agents in the background, nested sub-agents, the effects of a
// user's and of an untrusted configuration, a program that dies, and files that are not programs.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createCopilotClient } from "../../src/agents/copilot/copilot-client.ts";
import type { AgentClient } from "../../src/agents/port.ts";
import { AtomicError } from "../../src/lib/errors.ts";
import {
  completeTurn,
  describeEnd,
  eventually,
  ofType,
  openSession,
  processesOf,
  readTurn,
} from "../../src/testing/contracts/agent-harness.ts";
import { contractTexts, longCommand } from "../../src/testing/contracts/agent-scenarios.ts";
import { copilotVocabulary } from "../../src/testing/model-server/vocabulary.ts";
import { scenarioPrompt, type Scenarios } from "../../src/testing/model-server/scenario.ts";
import type { OwnCase, SuiteContext } from "./agent-suite.ts";
import { copilotVariables, rigBackend } from "./backends/copilot.ts";
import { mustRun } from "../../scripts/run-command.ts";
import { homeOf, rigHost, type RigPlace } from "./rig.ts";
import { typeErrors } from "./type-errors.ts";

const background = (command: string, detach: boolean) => ({
  name: "bash",
  input: { command, description: "run it", mode: "async", ...(detach && { detach }) },
});

export const copilotScenarios: Scenarios = {
  "server-left": ({ folder }) => [{ tools: [background(longCommand(folder), false)] }, { text: "It runs." }],
  "server-detached": ({ folder }) => [{ tools: [background(longCommand(folder), true)] }, { text: "It runs." }],
  "late-report": ({ folder }) => [
    {
      tools: [
        {
          name: "task",
          input: {
            name: "late",
            description: "be late",
            prompt: `Do this: @@slow-writer:${folder}`,
            agent_type: "general-purpose",
            mode: "background",
          },
        },
      ],
    },
    { text: "It was started." },
    { text: contractTexts.done },
  ],
  "slow-writer": ({ folder }) => [
    { tools: [copilotVocabulary.shell(`sleep 2; touch '${folder}/late.txt'`)] },
    { text: contractTexts.subagentReport },
  ],
  nested: ({ folder }) => [
    { tools: [copilotVocabulary.subagent("outer", `Do this: @@subagent:${folder}`)] },
    { text: "Both are done." },
  ],
  cached: [{ text: "Read from a cache.", usage: { input: 1000, output: 50, cacheRead: 500, cacheWrite: 70 } }],
  "look-up": ({ folder }) => [
    { tools: [{ name: "lsp", input: { operation: "documentSymbol", file: `${folder}/code.ts` } }] },
    { tools: [{ name: "view", input: { path: `${folder}/inner/code.ts` } }] },
    { text: contractTexts.done },
  ],
};

export const copilotCases: readonly OwnCase[] = [
  {
    name: "a prompt that does not fit the model is a failure of kind context_overflow",
    async run({ harness }) {
      const session = await openSession(harness, harness.newFolder());
      const { end } = await readTurn(session, "word ".repeat(200_000));
      assert.ok(end.type === "turn.failed" && end.failure.kind === "context_overflow", describeEnd(end));
      await session.close();
    },
  },
  {
    name: "the vendor's SDK speaks of the program as copilot-protocol.ts does",
    async run() {
      const errors = await typeErrors(`
        import { CopilotClient } from "@github/copilot-sdk";
        import type { CopilotApi, CopilotSessionApi } from "../../../src/agents/copilot/copilot-protocol.ts";
        export const client = (real: CopilotClient): Omit<CopilotApi, "connect"> => real;
        export const session = (real: Awaited<ReturnType<CopilotClient["createSession"]>>): CopilotSessionApi => real;
      `);
      assert.equal(errors, "");
    },
  },
  {
    name: "a command that continues in the background does not block the turn, and ends with the session",
    async run({ harness }) {
      for (const scenario of ["server-left", "server-detached"]) {
        const folder = harness.newFolder();
        const session = await openSession(harness, folder);
        const { end } = await completeTurn(session, scenarioPrompt(scenario, folder));
        assert.equal(end.text, "It runs.");
        await eventually("the command runs", () => processesOf(`${folder}/started`).length > 0);
        await completeTurn(session, harness.prompt("answer", folder));
        await session.close();
        await eventually("the command has ended", () => processesOf(`${folder}/started`).length === 0);
      }
    },
  },
  {
    name: "a turn is over when its sub-agent in the background has reported",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events, end } = await completeTurn(session, scenarioPrompt("late-report", folder));
      assert.ok(existsSync(join(folder, "late.txt")));
      assert.equal(ofType(events, "subagent.started")[0]?.isBackground, true);
      assert.equal(ofType(events, "subagent.finished")[0]?.outcome, "completed");
      assert.equal(ofType(events, "subagent.finished")[0]?.text, contractTexts.subagentReport);
      assert.equal(end.text, contractTexts.done, "the last word is the agent's, after the report");
      await session.close();
    },
  },
  {
    name: "a sub-agent of a sub-agent has it as its parent",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events, end } = await completeTurn(session, scenarioPrompt("nested", folder));
      const [outer, inner] = ofType(events, "subagent.started");
      assert.equal(outer?.parentId, undefined);
      assert.equal(inner?.parentId, outer?.agentId);
      assert.match(inner?.task ?? "", /@@subagent-one/);
      assert.equal(end.text, "Both are done.");
      await session.close();
    },
  },
  {
    name: "tokens of a cache are counted apart",
    async run({ harness }) {
      const session = await openSession(harness, harness.newFolder());
      const { end } = await completeTurn(session, scenarioPrompt("cached"));
      assert.deepEqual(end.usage, {
        inputTokens: 1000,
        outputTokens: 50,
        cacheReadTokens: 500,
        cacheWriteTokens: 70,
      });
      await session.close();
    },
  },
  {
    name: "a program that is killed in the middle of a turn is a crash, and the session continues in another",
    async run(context) {
      const place = apart(context.place, "killed");
      await using client = held(rigBackend.createClient(place));
      const folder = context.harness.newFolder();
      const session = await client.open({ cwd: folder, ...rigBackend.open });
      await completeTurn(session, context.harness.prompt("answer", folder));
      const { end } = await readTurn(session, context.harness.prompt("slow", folder), {
        onEvent: (event) => event.type === "text.delta" && programsOf(place).forEach((pid) => kill(pid)),
      });
      assert.ok(end.type === "turn.failed" && end.failure.kind === "crashed", describeEnd(end));
      assert.match(end.failure.message, /SIGKILL/);
      const { end: next } = await completeTurn(session, context.harness.prompt("recall", folder));
      // The prompt of the turn that died may or may not have been stored.
      assert.match(next.text, /I remember [23] tasks/);
      await client.close();
      assert.deepEqual(programsOf(place), [], "no program is on record");
    },
  },
  {
    name: "a session whose program died before its first turn starts again under its id",
    async run(context) {
      const place = apart(context.place, "early");
      await using client = held(rigBackend.createClient(place));
      const folder = context.harness.newFolder();
      const session = await client.open({ cwd: folder, ...rigBackend.open });
      programsOf(place).forEach((pid) => kill(pid));
      await eventually("the program is gone", () => programsOf(place).length === 0);
      const { end } = await completeTurn(session, context.harness.prompt("answer", folder));
      assert.equal(end.sessionId, session.id);
    },
  },
  {
    name: "invalid programs are refused with what they said",
    async run({ place }) {
      const programs = {
        missing: undefined,
        dies: "echo 'no such thing here' >&2; exit 3",
        babbles: "yes 'not a word of it'",
      };
      for (const [name, body] of Object.entries(programs)) {
        const path = join(place.root, `fake-${name}`);
        if (body !== undefined) writeScript(path, body);
        const host = { ...rigHost(place, copilotVariables(place)), programs: { copilot: path } };
        await using client = held(createCopilotClient(host));
        await assert.rejects(client.open({ cwd: place.root, model: "fake-model" }), (error: unknown) => {
          assert.ok(AtomicError.is(error, "AGENT_UNAVAILABLE"), name);
          assert.match(
            error.message,
            { missing: /is not a program/, dies: /no such thing/, babbles: /not a word/ }[name] ?? /$^/,
          );
          return true;
        });
        // This one times out only after twenty seconds when asked for its version.
        if (name === "babbles") continue;
        const report = await client.check();
        assert.equal(report.isUsable, false);
        assert.notEqual(report.notes.join(""), "");
      }
      const old = join(place.root, "fake-old");
      writeScript(old, "echo 'GitHub Copilot CLI 0.0.334.'");
      const client = createCopilotClient({ ...rigHost(place, copilotVariables(place)), programs: { copilot: old } });
      assert.match((await client.check()).notes.join(""), /0\.0\.334, and at least 1\.0/);
    },
  },
  {
    name: "without a login and without a service of one's own, a turn fails for want of a login",
    async run({ harness, place }) {
      const { COPILOT_HOME = "", COPILOT_CACHE_HOME = "" } = copilotVariables(place);
      // Its offline mode requires a custom service; an invalid proxy keeps it from the network as well.
      const proxy = "http://127.0.0.1:9";
      const variables = { COPILOT_HOME, COPILOT_CACHE_HOME, HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
      await using client = held(createCopilotClient(rigHost(place, variables)));
      const folder = harness.newFolder();
      assert.equal((await client.check()).login, "missing");
      const session = await client.open({ cwd: folder, model: "gpt-5" });
      const { end } = await readTurn(session, harness.prompt("answer", folder));
      assert.ok(end.type === "turn.failed" && end.failure.kind === "auth", describeEnd(end));
      await assert.rejects(client.models(), (error: unknown) => AtomicError.is(error, "AGENT_TURN_FAILED"));
    },
  },
  {
    name: "the person's own configuration works in a stranger's project, whose own does not",
    run: (context) => compareConfigurations(context, false),
  },
  {
    name: "the same holds in a folder of a stranger's repository",
    run: (context) => compareConfigurations(context, false, "packages/Some_Part"),
  },
  {
    name: "a trusted project's configuration works beside the person's own",
    run: (context) => compareConfigurations(context, true),
  },
];

/** A home of the user and a project, each with everything that Copilot reads or starts; then what came of it. */
async function compareConfigurations(
  { place, harness, server }: SuiteContext,
  isProjectTrusted: boolean,
  folderInRepository = "",
): Promise<void> {
  const own = apart(place, `${isProjectTrusted ? "trusted" : "stranger"}${folderInRepository.length}`);
  const repository = harness.newFolder();
  const folder = join(repository, folderInRepository);
  const home = join(homeOf(own), ".copilot");
  const traces = harness.newFolder();
  const hook = (who: string) =>
    JSON.stringify({
      version: 1,
      hooks: { userPromptSubmitted: [{ type: "command", bash: `touch '${traces}/${who}-hook'`, timeoutSec: 10 }] },
    });
  const servers = (who: string) =>
    JSON.stringify({
      mcpServers: { [who]: { command: "/bin/sh", args: ["-c", `touch '${traces}/${who}-server'`], tools: ["*"] } },
    });
  const skill = (who: string) => `---\nname: ${who}-skill\ndescription: SKILL-OF-${who}\n---\nDo it well.\n`;
  const agent = (who: string) => `---\nname: ${who}-agent\ndescription: AGENT-OF-${who}\n---\nBe kind.\n`;
  const lsp = {
    command: "/bin/sh",
    args: ["-c", `touch '${traces}/project-lsp'; cat`],
    fileExtensions: { ".ts": "typescript" },
  };
  plant(home, {
    "copilot-instructions.md": "INSTRUCTION-OF-user",
    "hooks/own.json": hook("user"),
    "mcp-config.json": servers("user"),
    "skills/user-skill/SKILL.md": skill("user"),
    "agents/user-agent.agent.md": agent("user"),
  });
  const project = {
    "AGENTS.md": "INSTRUCTION-OF-project",
    "CLAUDE.md": "INSTRUCTION-OF-project: be brief",
    "GEMINI.md": "INSTRUCTION-OF-project: be exact",
    ".github/copilot-instructions.md": "INSTRUCTION-OF-project: be friendly",
    ".github/instructions/more.instructions.md": "---\napplyTo: '**'\n---\nINSTRUCTION-OF-project: be quick",
    ".github/hooks/theirs.json": hook("project"),
    ".github/lsp.json": JSON.stringify({ lspServers: { planted: lsp } }),
    ".mcp.json": servers("project"),
    ".github/skills/project-skill/SKILL.md": skill("project"),
    ".github/agents/project-agent.agent.md": agent("project"),
    "inner/AGENTS.md": "INSTRUCTION-OF-project: be careful",
    "inner/code.ts": "export const two = 2;\n",
    "code.ts": "export const one = 1;\n",
  };
  plant(folder, project);
  if (folderInRepository !== "") {
    plant(repository, project);
    const env = { PATH: process.env["PATH"], HOME: homeOf(own) };
    await mustRun(["git", "init", "--quiet", repository], { cwd: repository, env });
  }
  await using client = held(rigBackend.createClient(own));
  const before = server.seen.length;
  const subagents = [{ name: "guest", description: "AGENT-OF-caller", prompt: "Be brief." }];
  const session = await client.open({ cwd: folder, ...rigBackend.open, isProjectTrusted, subagents });
  await completeTurn(session, scenarioPrompt("look-up", folder));
  await completeTurn(session, harness.prompt("subagent", folder));
  const expected = isProjectTrusted
    ? ["project-hook", "project-lsp", "project-server", "user-hook", "user-server"]
    : ["user-hook", "user-server"];
  await eventually("what is the person's own works", () => expected.every((name) => existsSync(join(traces, name))));
  await client.close();
  assert.deepEqual(readdirSync(traces).sort(), expected);
  const requests = server.seen.slice(before);
  assert.equal(
    requests.some(({ request }) => request?.tools.includes("lsp")),
    isProjectTrusted,
    "who may look things up",
  );
  const asked = JSON.stringify(requests.map(({ body }) => body));
  const read = ["INSTRUCTION", "SKILL", "AGENT"].flatMap((what) =>
    ["user", "project", "caller"].filter((who) => asked.includes(`${what}-OF-${who}`)).map((who) => `${what} ${who}`),
  );
  const all = [
    "INSTRUCTION user",
    "INSTRUCTION project",
    "SKILL user",
    "SKILL project",
    "AGENT user",
    "AGENT project",
    "AGENT caller",
  ];
  assert.deepEqual(read, isProjectTrusted ? all : all.filter((one) => !one.endsWith("project")));
}

/** Closed also when a case fails. */
function held(client: AgentClient): AgentClient & AsyncDisposable {
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

function plant(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

/** Another home with its own records, below the suite's. */
function apart(place: RigPlace, name: string): RigPlace {
  const root = join(place.root, name);
  mkdirSync(join(root, "home"), { recursive: true });
  mkdirSync(join(place.root, "copilot-cache"), { recursive: true });
  symlinkSync(join(place.root, "copilot-cache"), join(root, "copilot-cache"));
  return { ...place, root };
}

/** The programs on record. */
function programsOf(place: RigPlace): readonly number[] {
  const folder = join(place.root, "pids");
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.flatMap((name) => {
    const { children } = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
      readonly children: readonly { readonly identity?: { readonly pid: number } }[];
    };
    return children.flatMap(({ identity }) => (identity === undefined ? [] : [identity.pid]));
  });
}

function kill(pid: number): void {
  process.kill(pid, "SIGKILL");
}

function writeScript(path: string, body: string): void {
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}
