import { expect, test } from "bun:test";
import { plainMarkdown } from "./plain-markdown.ts";

const cases: readonly (readonly [string, string])[] = [
  ["Starting **ralph** workflow...", "Starting ralph workflow..."],
  [
    "**Workflow Progress:** Planning\n**ralph** workflow completed.",
    "Workflow Progress: Planning\nralph workflow completed.",
  ],
  ["a *b* and __name__.py", "a *b* and __name__.py"],
  ["2 ** 3 ** 4 and **/*.ts", "2 ** 3 ** 4 and **/*.ts"],
  ["`a ** b` and **c**", "`a ** b` and c"],
  [
    "before **x**\n```ts\nconst p = a **b** c;\n```\nafter **y**",
    "before x\n```ts\nconst p = a **b** c;\n```\nafter y",
  ],
  ["```\nopen **to the end**", "```\nopen **to the end**"],
  ["half **a sentence", "half **a sentence"],
  ["***both***", "***both***"],
  ["", ""],
];

test.each(cases)("%j is shown as %j", (text, shown) => {
  expect(plainMarkdown(text)).toBe(shown);
});

test("a long text full of signs is read once", () => {
  expect(plainMarkdown("**a ".repeat(50_000))).toHaveLength(200_000);
  expect(plainMarkdown(`${"`".repeat(200_000)}**`)).toHaveLength(200_002);
  expect(plainMarkdown(`${"```\n".repeat(50_000)}**a**`)).toEndWith("\na");
});
