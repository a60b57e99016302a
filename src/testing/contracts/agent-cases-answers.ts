// Contract: text, models and counts of a turn.

import assert from "node:assert/strict";
import { completeTurn, ofType, openSession } from "./agent-harness.ts";
import { contractTexts } from "./agent-scenarios.ts";
import type { AgentCase } from "./agent-case.ts";

export const answerCases: readonly AgentCase[] = [
  {
    name: "a turn streams its answer and ends with the whole of it",
    needs: ["streaming"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events, end } = await completeTurn(session, harness.prompt("answer", folder));
      // The backend decides the number of pieces: text that arrived together may be one. The case that interrupts a
      // turn while text streams shows that text is reported while the model still writes.
      const pieces = ofType(events, "text.delta");
      assert.equal(pieces.map(({ text }) => text).join(""), contractTexts.answer);
      assert.equal(end.text, contractTexts.answer);
      assert.equal(end.sessionId, session.id);
      await session.close();
    },
  },
  {
    name: "a turn shows the model's reasoning apart from its answer",
    needs: ["reasoning"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events, end } = await completeTurn(session, harness.prompt("reason", folder));
      assert.equal(
        ofType(events, "reasoning.delta")
          .map(({ text }) => text)
          .join(""),
        contractTexts.reasoning,
      );
      assert.equal(end.text, contractTexts.answer);
      await session.close();
    },
  },
  {
    name: "a turn counts its tokens, and a session sums them",
    needs: ["usage"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const first = await completeTurn(session, harness.prompt("answer", folder));
      assert.equal(first.end.usage.inputTokens, contractTexts.servedUsage.input);
      assert.equal(first.end.usage.outputTokens, contractTexts.servedUsage.output);
      const second = await completeTurn(session, harness.prompt("answer", folder));
      assert.equal(
        second.end.usage.outputTokens,
        contractTexts.servedUsage.output,
        "the count is of one turn, not of all",
      );
      assert.equal(session.usage().outputTokens, 2 * contractTexts.servedUsage.output);
      await session.close();
    },
  },
  {
    name: "a turn states its own cost, not that of earlier turns",
    needs: ["cost"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const costs: number[] = [];
      for (let turn = 0; turn < 2; turn++) {
        const { end } = await completeTurn(session, harness.prompt("answer", folder));
        assert.ok(end.usage.costUsd !== undefined && end.usage.costUsd > 0, "there is a cost");
        costs.push(end.usage.costUsd);
      }
      const [first = 0, second = 0] = costs;
      assert.ok(second < first * 1.9, `the second turn costs ${second}, the first ${first}`);
      await session.close();
    },
  },
  {
    name: "a turn names the model that was requested and the one that answered",
    needs: ["modelServed", "modelChoice"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events, end } = await completeTurn(session, harness.prompt("answer", folder));
      assert.equal(end.modelAsked, session.model);
      assert.ok(end.modelServed !== undefined, "the model that answered is named");
      assert.deepEqual(ofType(events, "model.substituted"), []);
      await session.close();
    },
  },
  {
    name: "a model other than the requested one is announced",
    needs: ["modelServed"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { events, end } = await completeTurn(session, harness.prompt("another-model", folder));
      assert.equal(end.modelServed, contractTexts.anotherModel);
      const [event] = ofType(events, "model.substituted");
      assert.equal(event?.served, contractTexts.anotherModel);
      assert.equal(event?.asked, end.modelAsked);
      await session.close();
    },
  },
  {
    name: "a model can be chosen for one turn",
    needs: ["modelChoice"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const chosen = await completeTurn(session, harness.prompt("answer", folder), { model: harness.otherModel });
      assert.equal(chosen.end.modelAsked, harness.otherModel);
      const after = await completeTurn(session, harness.prompt("answer", folder));
      assert.equal(after.end.modelAsked, session.model);
      const models = harness
        .requests()
        ?.filter(({ scenario }) => scenario === "answer")
        .map(({ request }) => request?.model)
        .slice(-2);
      if (models !== undefined) assert.notEqual(models[0], models[1], "the model's service saw two models");
      await session.close();
    },
  },
  {
    name: "models are listed",
    needs: ["models"],
    async run(harness) {
      const models = await harness.client.models();
      assert.ok(models.length > 0, "there is at least one");
      assert.ok(models.every(({ id, name }) => id !== "" && name !== ""));
    },
    refusal: (harness) => harness.client.models(),
  },
  {
    name: "a session reports how full its context is",
    needs: ["contextUsage"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      await completeTurn(session, harness.prompt("answer", folder));
      const { usedTokens, maxTokens } = await session.contextUsage();
      assert.ok(usedTokens > 0);
      assert.ok(maxTokens === undefined || maxTokens > usedTokens);
      await session.close();
    },
    refusal: async (harness) => (await openSession(harness, harness.newFolder())).contextUsage(),
  },
  {
    name: "tool servers are listed, and one that does not exist can't be switched",
    needs: ["toolServers"],
    async run(harness) {
      const session = await openSession(harness, harness.newFolder());
      assert.ok(Array.isArray(await session.servers()));
      await assert.rejects(session.switchServer("no-such-server", true));
      await session.close();
    },
    refusal: async (harness) => (await openSession(harness, harness.newFolder())).servers(),
  },
  {
    name: "the backend's report says that it can be used",
    needs: [],
    async run(harness) {
      const report = await harness.client.check();
      assert.equal(report.isUsable, true, report.notes.join(" "));
      assert.equal(report.kind, harness.client.kind);
    },
  },
];
