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
  ["over several lines", JSON.stringify(plan, null, 2)],
];

for (const [name, answer] of answers) {
  test(`findJson finds an object ${name}`, () => {
    expect(findJson(answerOf(answer))).toEqual({ value: plan });
  });
}

test("findJson says why there is none", () => {
  expect(findJson(answerOf("no braces"))).toEqual({ problem: "there is no JSON object in the answer" });
  expect(findJson(answerOf(json.slice(0, -5)))).toMatchObject({ problem: expect.stringContaining("can't be read") });
  expect(findJson(answerOf("3"))).toEqual({ problem: "there is no JSON object in the answer" });
});

test("answerOf keeps little of an answer that is too long to be one, and findJson says how long it was", () => {
  const answer = answerOf(`{${"x".repeat(5_000_000)}`);

  expect(answer.text.length).toBeLessThan(10_000);
  expect(findJson(answer)).toMatchObject({ problem: expect.stringContaining("5000001 characters long") });
});

test("findJson takes a while, and not for ever, with many braces", () => {
  expect(findJson(answerOf("{".repeat(1_000_000)))).toHaveProperty("problem");
  expect(findJson(answerOf("{} ".repeat(300_000)))).toEqual({ value: {} });
});
