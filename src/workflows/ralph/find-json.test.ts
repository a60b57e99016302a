import { expect, test } from "bun:test";
import { answerOf, findJson } from "./find-json.ts";

const plan = { tasks: [{ id: "1", title: 'a "quoted" } brace' }] };
const json = JSON.stringify(plan);

const answers: readonly (readonly [string, string])[] = [
  ["bare", json],
  ["with spaces around it", `\n  ${json}\n`],
  ["in a fence", `Here:\n\`\`\`json\n${json}\n\`\`\`\n`],
  ["in a fence without a language, among other text in braces", `{x}\n\`\`\`\n${json}\n\`\`\`\n{y}`],
  ["in a sentence", `It is ${json}, I think.`],
  ["after other braces", `Use {} and {this}: ${json}`],
  ["after an example in a fence", `Like\n\`\`\`json\n{"id":"x"}\n\`\`\`\nThe plan:\n\`\`\`json\n${json}\n\`\`\`\n`],
  ["over several lines", JSON.stringify(plan, null, 2)],
];

for (const [name, answer] of answers) {
  test(`findJson finds an object ${name}`, () => {
    expect(findJson(answerOf(answer), "tasks")).toEqual({ value: plan });
  });
}

test("findJson explains why it found nothing", () => {
  expect(findJson(answerOf("no braces"), "tasks")).toEqual({ problem: "there is no JSON object in the answer" });
  expect(findJson(answerOf(json.slice(0, -5)), "tasks")).toMatchObject({
    problem: expect.stringContaining("can't be read"),
  });
  expect(findJson(answerOf("3"), "tasks")).toEqual({ problem: "there is no JSON object in the answer" });
});

test("answerOf keeps little of an answer that is too long to be one, and findJson says how long it was", () => {
  const answer = answerOf(`{${"x".repeat(5_000_000)}`);

  expect(answer.text.length).toBeLessThan(10_000);
  expect(findJson(answer, "tasks")).toMatchObject({ problem: expect.stringContaining("5000001 characters long") });
});

test("findJson takes a while, and not forever, with many braces", () => {
  expect(findJson(answerOf("{".repeat(1_000_000)), "tasks")).toHaveProperty("problem");
  expect(findJson(answerOf("{} ".repeat(300_000)), "tasks")).toEqual({ value: {} });
});

test("findJson refuses what is nested without end, and finds what stands beside it", () => {
  for (const levels of [200, 100_000]) {
    const deep = `{"tasks":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect(findJson(answerOf(deep), "tasks")).toEqual({
      problem: "the JSON in the answer is nested deeper than 100 levels",
    });
    expect(findJson(answerOf(`${deep}\n${json}`), "tasks")).toEqual({ value: plan });
  }
});
