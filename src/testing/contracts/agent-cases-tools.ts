// Contract: tools, in-process tools and sub-agents.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { defineAgentTool } from "../../agents/agent-tool.ts";
import type { AgentDefinition } from "../../agents/port.ts";
import { completeTurn, ofType, openSession } from "./agent-harness.ts";
import { contractTexts, type ContractScenario } from "./agent-scenarios.ts";
import type { AgentCase } from "./agent-case.ts";

export const toolCases: readonly AgentCase[] = [
  {
    name: "a tool writes a file without asking",
    needs: ["effects", "toolEvents"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder, { onQuestion: () => assert.fail("no question may be asked") });
      const { events, end } = await completeTurn(session, harness.prompt("write", folder));
      assert.equal(readFileSync(join(folder, "hello.txt"), "utf8"), contractTexts.fileContent);
      const [started, ...more] = ofType(events, "tool.started");
      assert.equal(more.length, 0);
      assert.equal(started?.kind, "write");
      assert.equal(ofType(events, "tool.finished")[0]?.outcome, "ok");
      assert.equal(end.text, contractTexts.done);
      await session.close();
    },
  },
  {
    name: "two tools run one after the other",
    needs: ["effects", "toolEvents"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events } = await completeTurn(session, harness.prompt("two-tools", folder));
      assert.equal(readFileSync(join(folder, "copy.txt"), "utf8"), contractTexts.fileContent);
      assert.deepEqual(
        ofType(events, "tool.started").map(({ kind }) => kind),
        ["write", "shell"],
      );
      await session.close();
    },
  },
  {
    name: "an agent does only what its tools allow, and its session continues as another agent with other tools",
    needs: ["effects", "toolLimits", "resume", "memory", "systemPrompt"],
    async run(harness) {
      const folder = harness.newFolder();
      const has = (file: string): boolean => existsSync(join(folder, file));
      const as = async (agent: AgentDefinition | undefined, scenario: ContractScenario): Promise<string> => {
        const session = await openSession(harness, folder, { agent, ...(id === undefined ? {} : { resume: id }) });
        id = session.id;
        const { end } = await completeTurn(session, harness.prompt(scenario, folder));
        await session.close();
        return end.text;
      };
      let id: string | undefined;
      await as({ name: "reader", prompt: "You read.", tools: ["read"] }, "write");
      assert.ok(!has("hello.txt"), "an agent that may only read wrote a file");
      await as({ name: "writer", prompt: "You write.", tools: ["write"] }, "two-tools");
      assert.ok(has("hello.txt"), "an agent that may write did not");
      assert.ok(!has("copy.txt"), "an agent without a shell ran a command");
      await as(undefined, "two-tools");
      assert.ok(has("copy.txt"), "without an agent all tools are there again");
      assert.match(await as(undefined, "recall"), /I remember 4 tasks/);
    },
  },
  {
    name: "rules limit which commands an agent runs",
    needs: ["effects", "toolLimits", "shellRules"],
    async run(harness) {
      const folder = harness.newFolder();
      const agent = { name: "toucher", prompt: "", tools: ["bash"], toolRules: { bash: ["touch:*"] } };
      const session = await openSession(harness, folder, { agent });
      const { end } = await completeTurn(session, harness.prompt("ruled-commands", folder));
      assert.equal(end.text, contractTexts.done);
      const made = ["allowed.txt", "refused", "hidden"].filter((name) => existsSync(join(folder, name)));
      assert.deepEqual(made, ["allowed.txt"]);
      await session.close();
    },
  },
  {
    name: "what a tool prints is reported",
    needs: ["effects", "toolOutput"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events } = await completeTurn(session, harness.prompt("two-tools", folder));
      assert.match(ofType(events, "tool.finished").at(-1)?.output ?? "", /copied/);
      await session.close();
    },
  },
  {
    name: "a tool that fails is reported as failed, and the turn continues",
    needs: ["effects", "toolEvents"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events, end } = await completeTurn(session, harness.prompt("failing-tool", folder));
      assert.equal(ofType(events, "tool.finished")[0]?.outcome, "failed");
      assert.equal(end.text, "The command failed.");
      await session.close();
    },
  },
  {
    name: "a tool that prints 100 MB does not fail the turn, and its output is clipped",
    needs: ["effects"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events } = await completeTurn(session, harness.prompt("huge-output", folder));
      const chars = events.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
      assert.ok(chars < 1_000_000, `all events together have ${chars} characters`);
      await session.close();
    },
  },
  {
    name: "a tool that prints invalid UTF-8 gives text",
    needs: ["effects", "toolOutput"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events } = await completeTurn(session, harness.prompt("bad-bytes", folder));
      const output = ofType(events, "tool.finished")[0]?.output ?? "";
      assert.match(output, /before.+after/s);
      assert.equal(Buffer.from(output, "utf8").toString("utf8"), output, "the text is whole");
      await session.close();
    },
  },
  {
    name: "a tool of this program is called with its input and its result is used",
    needs: ["inProcessTools"],
    async run(harness) {
      const folder = harness.newFolder();
      const calls: unknown[] = [];
      const tool = defineAgentTool({
        name: contractTexts.ownTool,
        description: "adds two numbers",
        parameters: z.object({ a: z.number(), b: z.number() }),
        execute: (input) => {
          calls.push(input);
          return `the sum is ${input.a + input.b}`;
        },
      });
      const session = await openSession(harness, folder, { tools: [tool] });
      const { end } = await completeTurn(session, harness.prompt("own-tool", folder));
      assert.deepEqual(calls, [{ a: 2, b: 3 }]);
      assert.match(end.text, /the sum is 5/);
      await session.close();
    },
    async refusal(harness) {
      const tool = defineAgentTool({ name: "x", description: "x", parameters: z.object({}), execute: () => "" });
      await openSession(harness, harness.newFolder(), { tools: [tool] });
    },
  },
  {
    name: "a sub-agent is reported with its parent, and with its own tools",
    needs: ["effects", "subagents"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events, end } = await completeTurn(session, harness.prompt("subagent", folder));
      assert.ok(existsSync(join(folder, "one.txt")));
      const [child, ...others] = ofType(events, "subagent.started");
      assert.equal(others.length, 0);
      assert.equal(child?.parentId, undefined, "the agent of the session started it");
      const written = ofType(events, "tool.started").find(({ kind }) => kind === "write");
      assert.equal(written?.agentId, child?.agentId, "the tool is the sub-agent's");
      assert.equal(ofType(events, "subagent.finished")[0]?.outcome, "completed");
      assert.equal(end.text, contractTexts.done, "the turn's text is the agent's, not the sub-agent's");
      await session.close();
    },
  },
  {
    name: "two sub-agents of one turn are kept apart",
    needs: ["effects", "subagents"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events, end } = await completeTurn(session, harness.prompt("two-subagents", folder));
      assert.ok(existsSync(join(folder, "one.txt")) && existsSync(join(folder, "two.txt")));
      const ids = ofType(events, "subagent.started").map(({ agentId }) => agentId);
      assert.equal(new Set(ids).size, 2);
      assert.deepEqual(new Set(ofType(events, "subagent.finished").map(({ agentId }) => agentId)), new Set(ids));
      const writers = ofType(events, "tool.started")
        .filter(({ kind }) => kind === "write")
        .map(({ agentId }) => agentId);
      assert.deepEqual(new Set(writers), new Set(ids), "each wrote its own file");
      assert.equal(end.text, contractTexts.done);
      await session.close();
    },
  },
  {
    name: "a sub-agent that the session defines is started by its name, with its instructions",
    needs: ["effects", "subagents", "subagentDefinitions"],
    async run(harness) {
      const folder = harness.newFolder();
      const prompt = "You are the tester, and you test with care.";
      const session = await openSession(harness, folder, { subagents: [tester(prompt)] });
      const { events } = await completeTurn(session, harness.prompt("defined-subagent", folder));
      assert.equal(ofType(events, "subagent.started")[0]?.name, contractTexts.definedSubagent);
      assert.ok(existsSync(join(folder, "one.txt")), "it did its work");
      const request = harness.requests()?.findLast(({ scenario }) => scenario === "subagent-one");
      if (request !== undefined) assert.ok(JSON.stringify(request.body).includes(prompt), "its model saw them");
      await session.close();
    },
    refusal: (harness) => openSession(harness, harness.newFolder(), { subagents: [tester("You test.")] }),
  },
];

function tester(prompt: string): AgentDefinition {
  return { name: contractTexts.definedSubagent, description: "tests things", prompt };
}
