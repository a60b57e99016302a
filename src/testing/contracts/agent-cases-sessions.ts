// Contract: interruption, queues, resume, compaction, instructions, trust.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { AtomicError } from "../../lib/errors.ts";
import type { AgentEvent } from "../../agents/events.ts";
import type { AgentCase } from "./agent-case.ts";
import { completeTurn, eventually, ofType, openSession, readTurn, type AgentHarness } from "./agent-harness.ts";
import { contractTexts } from "./agent-scenarios.ts";
import { stopWhileToolRuns } from "./stop-while-tool-runs.ts";

async function usableAfterwards(
  harness: AgentHarness,
  session: Awaited<ReturnType<typeof openSession>>,
  folder: string,
): Promise<void> {
  const { end } = await completeTurn(session, harness.prompt("answer", folder));
  assert.equal(end.text, contractTexts.answer);
  await session.close();
}

export const sessionCases: readonly AgentCase[] = [
  {
    name: "a turn is interrupted while text streams, and the session continues",
    needs: ["interrupt", "streaming"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const stop = new AbortController();
      const { end } = await readTurn(session, harness.prompt("slow", folder), {
        signal: stop.signal,
        onEvent: (event) => event.type === "text.delta" && stop.abort(),
      });
      assert.equal(end.type, "turn.interrupted");
      assert.ok(end.type === "turn.interrupted" && !end.isUnanswered, "the program confirmed it");
      assert.notEqual(end.text, "", "what was written so far is kept");
      await usableAfterwards(harness, session, folder);
    },
  },
  {
    name: "a turn is interrupted while a tool runs: the tool ends, and the session continues",
    needs: ["interrupt", "effects"],
    async run(harness) {
      await stopWhileToolRuns(harness, (folder) => harness.prompt("shell-long", folder));
    },
  },
  {
    name: "a turn is interrupted while a tool of a sub-agent runs: both end, and the session continues",
    needs: ["interrupt", "effects", "subagents"],
    async run(harness) {
      const { events } = await stopWhileToolRuns(harness, (folder) => harness.prompt("long-subagent", folder));
      assert.equal(ofType(events, "subagent.finished")[0]?.outcome, "interrupted");
    },
  },
  {
    name: "a turn whose signal was aborted before it began sends nothing",
    needs: [],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const before = harness.requests()?.length;
      const events: AgentEvent[] = [];
      for await (const event of session.turn(harness.prompt("answer", folder), { signal: AbortSignal.abort() }))
        events.push(event);
      assert.deepEqual(
        events.map(({ type }) => type),
        ["turn.interrupted"],
      );
      assert.equal(harness.requests()?.length, before);
      await session.close();
    },
  },
  {
    name: "turns of one session wait for each other",
    needs: [],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const order: string[] = [];
      const note = (name: string) => (event: AgentEvent) =>
        void (/turn\./.test(event.type) && order.push(`${name} ${event.type}`));
      await Promise.all([
        completeTurn(session, harness.prompt("answer", folder), { onEvent: note("one") }),
        completeTurn(session, harness.prompt("answer", folder), { onEvent: note("two") }),
      ]);
      assert.deepEqual(order, ["one turn.started", "one turn.completed", "two turn.started", "two turn.completed"]);
      await session.close();
    },
  },
  {
    name: "a session remembers its earlier turns",
    needs: ["memory"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      await completeTurn(session, harness.prompt("answer", folder));
      const { end } = await completeTurn(session, harness.prompt("recall", folder));
      assert.match(end.text, /I remember 2 tasks/);
      await session.close();
    },
  },
  {
    name: "a session is resumed by its id in a new process",
    needs: ["resume"],
    async run(harness) {
      const folder = harness.newFolder();
      const first = await openSession(harness, folder);
      await completeTurn(first, harness.prompt("answer", folder));
      await first.close();
      const client = await harness.newClient();
      try {
        const session = await client.open({ cwd: folder, ...harness.open, resume: first.id });
        assert.equal(session.id, first.id);
        const { end } = await completeTurn(session, harness.prompt("recall", folder));
        if (client.capabilities.memory === true) assert.match(end.text, /I remember 2 tasks/);
        await session.close();
      } finally {
        await client.close();
      }
    },
    refusal: (harness) => openSession(harness, harness.newFolder(), { resume: "00000000-0000-4000-8000-000000000000" }),
  },
  {
    name: "resuming a session that does not exist is refused",
    needs: ["resume", "memory"],
    async run(harness) {
      const folder = harness.newFolder();
      const unknown = "00000000-0000-4000-8000-000000000000";
      try {
        const session = await openSession(harness, folder, { resume: unknown });
        // Some programs notice it only at the first prompt.
        const { end } = await readTurn(session, harness.prompt("answer", folder));
        assert.ok(
          end.type === "turn.failed" && end.failure.kind === "refused" && !end.failure.retryable,
          `ended as ${end.type}`,
        );
        await session.close();
      } catch (error) {
        if (!AtomicError.is(error, "AGENT_SESSION_UNKNOWN")) throw error;
      }
    },
  },
  {
    name: "a session is compacted on demand and continues",
    needs: ["compact"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      await completeTurn(session, harness.prompt("answer", folder));
      await session.compact("keep the answer");
      await usableAfterwards(harness, session, folder);
    },
    refusal: async (harness) => (await openSession(harness, harness.newFolder())).compact(),
  },
  {
    name: "instructions for a session reach the model",
    needs: ["systemPrompt"],
    async run(harness) {
      const folder = harness.newFolder();
      const instruction = "Always sign with the word quinquereme.";
      const session = await openSession(harness, folder, { agent: { name: "signer", prompt: instruction } });
      const { events } = await completeTurn(session, harness.prompt("answer", folder));
      assert.equal(events[0]?.type === "turn.started" ? events[0].agent : "", "signer");
      const request = harness.requests()?.findLast(({ scenario }) => scenario === "answer");
      if (request !== undefined)
        assert.ok(JSON.stringify(request.body).includes(instruction), "the model saw the instructions");
      await session.close();
    },
  },
  {
    name: "a project's own settings have no effect until the project is trusted",
    needs: ["projectTrust"],
    async run(harness) {
      for (const isProjectTrusted of [false, true]) {
        const folder = harness.newFolder();
        const { traces, isRefused = false } = await harness.plantProject(folder);
        const opening = openSession(harness, folder, { isProjectTrusted });
        if (isRefused && !isProjectTrusted)
          await assert.rejects(opening, (error) => AtomicError.is(error, "AGENT_NEEDS_TRUST"));
        else await completeTurn(await opening, harness.prompt("answer", folder));
        if (isProjectTrusted)
          await eventually("the trusted project's settings are obeyed", () => traces.every((file) => existsSync(file)));
        if (isProjectTrusted || !isRefused) await (await opening).close();
        if (!isProjectTrusted)
          assert.deepEqual(
            traces.filter((file) => existsSync(file)),
            [],
            "nothing of an untrusted project ran",
          );
      }
    },
  },
];
