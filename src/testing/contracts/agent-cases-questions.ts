// Contract: questions to the user.

import assert from "node:assert/strict";
import { AtomicError } from "../../lib/errors.ts";
import { answer, declined, type AgentQuestion, type QuestionHandler } from "../../agents/questions.ts";
import { completeTurn, ofType, openSession, readTurn, type AgentHarness, type TurnRecord } from "./agent-harness.ts";
import { contractTexts } from "./agent-scenarios.ts";
import type { AgentCase } from "./agent-case.ts";

async function ask(harness: AgentHarness, onQuestion: QuestionHandler): Promise<TurnRecord> {
  const folder = harness.newFolder();
  const session = await openSession(harness, folder, { onQuestion });
  const record = await completeTurn(session, harness.prompt("ask", folder));
  await session.close();
  return record;
}

export const questionCases: readonly AgentCase[] = [
  {
    name: "a question is answered with one of its options",
    needs: ["questions"],
    async run(harness) {
      const questions: AgentQuestion[] = [];
      const { events, end } = await ask(harness, (question) => {
        questions.push(question);
        return answer(question, "blue");
      });
      assert.equal(questions[0]?.items[0]?.text, contractTexts.question);
      assert.deepEqual(
        questions[0]?.items[0]?.options.map(({ label }) => label),
        [...contractTexts.options],
      );
      assert.deepEqual(ofType(events, "question.answered")[0]?.answers, [["blue"]]);
      assert.match(end.text, /blue/, "the answer reached the agent");
    },
  },
  {
    name: "a question is answered with free text",
    needs: ["questions", "freeTextAnswers"],
    async run(harness) {
      const { end } = await ask(harness, (question) => {
        assert.equal(question.items[0]?.isFreeText, true);
        return answer(question, "a warm ultramarine");
      });
      assert.match(end.text, /a warm ultramarine/);
    },
  },
  {
    name: "a turn continues after a declined question",
    needs: ["questions", "declineQuestions"],
    async run(harness) {
      const { events, end } = await ask(harness, () => declined);
      assert.equal(ofType(events, "question.declined")[0]?.reason, "declined");
      assert.doesNotMatch(end.text, /\b(?:blue|red)\b/);
    },
  },
  {
    name: "a question can be answered by other code while the turn is read",
    needs: ["questions"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const { end } = await completeTurn(session, harness.prompt("ask", folder), {
        onEvent(event) {
          if (event.type === "question.asked") session.answer(event.question.id, answer(event.question, "red"));
        },
      });
      assert.match(end.text, /red/);
      await session.close();
    },
  },
  {
    name: "an open question is dropped when its turn is interrupted, and the session continues",
    needs: ["questions", "interrupt"],
    async run(harness) {
      const folder = harness.newFolder();
      const session = await openSession(harness, folder);
      const stop = new AbortController();
      let left: AgentQuestion | undefined;
      const { events, end } = await readTurn(session, harness.prompt("ask", folder), {
        signal: stop.signal,
        onEvent(event) {
          if (event.type !== "question.asked") return;
          left = event.question;
          stop.abort();
        },
      });
      assert.equal(end.type, "turn.interrupted");
      assert.equal(ofType(events, "question.declined")[0]?.reason, "interrupted");
      assert.throws(
        () => session.answer(left?.id ?? "", { type: "answered", answers: [["blue"]] }),
        (error) => AtomicError.is(error, "QUESTION_UNKNOWN"),
      );
      const next = await completeTurn(session, harness.prompt("answer", folder));
      assert.equal(next.end.text, contractTexts.answer);
      await session.close();
    },
  },
];
