// OpenCode: whose settings, instructions, rules and definitions count.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { OpenOptions } from "../../src/agents/port.ts";
import { completeTurn, ofType, openSession, readTurn } from "../../src/testing/contracts/agent-harness.ts";
import type { OwnCase } from "./agent-suite.ts";
import { lastRequest, withClient, withClientOf } from "./opencode-helpers.ts";
import { homeOf } from "./rig.ts";

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`;

export const settingsCases: readonly OwnCase[] = [
  {
    name: "an untrusted project's instructions, agents and skills never reach the model, a trusted one's do, the person's own always",
    async run(context) {
      const { harness, place } = context;
      write(homeOf(place), {
        ".config/opencode/AGENTS.md": "own-instruction",
        ".claude/skills/own/SKILL.md": skill("own-skill", "own-skill-text"),
      });
      for (const isProjectTrusted of [false, true]) {
        const folder = harness.newFolder();
        write(folder, {
          "AGENTS.md": "planted-instruction",
          ".opencode/agents/planted.md": "---\ndescription: planted-agent-text\nmode: subagent\n---\nDo it.\n",
          ".opencode/skills/one/SKILL.md": skill("planted-one", "planted-skill-one"),
          ".claude/skills/two/SKILL.md": skill("planted-two", "planted-skill-two"),
          ".agents/skills/three/SKILL.md": skill("planted-three", "planted-skill-three"),
        });
        await withClientOf(harness.newClient, async (client) => {
          const session = await client.open({ cwd: folder, ...harness.open, isProjectTrusted });
          await completeTurn(session, harness.prompt("answer", folder));
        });
        const { text } = lastRequest(context, "answer");
        assert.ok(text.includes("own-instruction"), "the person's own instructions are there");
        assert.ok(text.includes("own-skill-text"), "the person's own skills are there");
        for (const planted of ["instruction", "agent-text", "skill-one", "skill-two", "skill-three"])
          assert.equal(text.includes(`planted-${planted}`), isProjectTrusted, `planted-${planted}`);
      }
    },
  },
  {
    name: "an .env file of a project sets nothing in the server",
    async run({ harness }) {
      const folder = harness.newFolder();
      write(folder, { ".env": "PLANTED=yes\n", "bunfig.toml": 'preload = ["./planted.js"]\n' });
      const session = await openSession(harness, folder, { isProjectTrusted: true });
      const { events } = await completeTurn(session, `Please do this: @@print-env:${folder}`);
      assert.match(ofType(events, "tool.finished")[0]?.output ?? "", /planted=none/);
      await session.close();
    },
  },
  {
    name: "what the person's rules ask about runs without asking, what they deny stays denied",
    async run(context) {
      const { harness } = context;
      const permission = { bash: { "*": "ask", "cp *": "deny" }, edit: "ask", webfetch: "deny" };
      await withClient(context, { config: { permission } }, async (client) => {
        const folder = harness.newFolder();
        const onQuestion: OpenOptions["onQuestion"] = () => assert.fail("no question may be asked");
        const session = await client.open({ cwd: folder, ...harness.open, onQuestion });
        await completeTurn(session, harness.prompt("write", folder));
        assert.ok(existsSync(join(folder, "hello.txt")));
        await completeTurn(session, `Please do this: @@print-env:${folder}`);
        const { events } = await completeTurn(session, harness.prompt("two-tools", folder));
        assert.equal(ofType(events, "tool.finished").at(-1)?.outcome, "failed");
        assert.ok(!existsSync(join(folder, "copy.txt")), "what is denied did not run");
        assert.ok(!lastRequest(context, "two-tools").request.tools.includes("webfetch"));
      });
    },
  },
  {
    name: "a sub-agent is defined for a session, with its instructions and its tools",
    async run(context) {
      const { harness } = context;
      const folder = harness.newFolder();
      const tester = { name: "tester", description: "tests", prompt: "You are the tester.", tools: ["read", "write"] };
      const session = await openSession(harness, folder, { subagents: [tester] });
      const { events } = await completeTurn(session, `Please do this: @@call-tester:${folder}`);
      assert.equal(ofType(events, "subagent.started")[0]?.name, "tester");
      const { text, request } = lastRequest(context, "subagent-one");
      assert.ok(text.includes("You are the tester."));
      assert.ok(request.tools.includes("write") && !request.tools.includes("bash"), request.tools.join());
      assert.ok(existsSync(join(folder, "one.txt")));
      await session.close();
    },
  },
  {
    name: "an agent with a list of tools has those and may ask, also when it is resumed",
    async run(context) {
      const { harness } = context;
      const folder = harness.newFolder();
      const open = async (options: Partial<OpenOptions>): Promise<readonly string[]> => {
        const session = await openSession(harness, folder, options);
        await completeTurn(session, harness.prompt("answer", folder));
        await session.close();
        resume = session.id;
        return lastRequest(context, "answer").request.tools;
      };
      let resume = "";
      const agent = { name: "reader", prompt: "", tools: ["read", "grep"] };
      assert.deepEqual([...(await open({ agent }))].sort(), ["grep", "question", "read"]);
      assert.deepEqual([...(await open({ resume, agent: { ...agent, tools: ["glob"] } }))].sort(), [
        "glob",
        "question",
      ]);
    },
  },
  {
    name: "a model is found by its bare name, and one that does not exist fails the turn",
    async run({ harness }) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { end } = await completeTurn(session, harness.prompt("answer", folder), { model: "other-model" });
      assert.equal(end.modelServed, "test/other-model");
      for (const model of ["no-such-model", "test/no-such-model", "nobody/at-all"]) {
        const failed = await readTurn(session, harness.prompt("answer", folder), { model });
        assert.ok(
          failed.end.type === "turn.failed" && failed.end.failure.kind === "refused",
          `${model}: ${failed.end.type}`,
        );
      }
      await completeTurn(session, harness.prompt("answer", folder));
      await session.close();
    },
  },
];
