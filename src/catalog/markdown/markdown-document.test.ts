import { describe, expect, test } from "bun:test";
import { Refusal } from "../diagnostics.ts";
import { parseMarkdown } from "./markdown-document.ts";

interface Good {
  readonly what: string;
  readonly text: string;
  readonly frontmatter: Record<string, unknown>;
  readonly body: string;
  readonly notes?: readonly string[];
}

const good: readonly Good[] = [
  { what: "a file without frontmatter", text: "# Hello\n\nDo it.\n", frontmatter: {}, body: "# Hello\n\nDo it." },
  { what: "plain fields", text: "---\na: 1\nb: [x, y]\n---\nBody", frontmatter: { a: 1, b: ["x", "y"] }, body: "Body" },
  { what: "empty frontmatter", text: "---\n---\nBody", frontmatter: {}, body: "Body" },
  { what: "a named language that is YAML", text: "---yaml\na: 1\n---\nB", frontmatter: { a: 1 }, body: "B" },
  { what: "a rule in the body", text: "---\na: 1\n---\nx\n\n---\n\ny", frontmatter: { a: 1 }, body: "x\n\n---\n\ny" },
  { what: "four dashes, which open nothing", text: "----\na: 1\n----", frontmatter: {}, body: "----\na: 1\n----" },
  { what: "a folded text", text: "---\nd: >\n  one\n  two\n---\nB", frontmatter: { d: "one two\n" }, body: "B" },
  {
    what: "a colon inside plain text",
    text: "---\ndescription: Use this: always\nmodel: opus\n---\nB",
    frontmatter: { description: "Use this: always", model: "opus" },
    body: "B",
    notes: ["frontmatter-repaired"],
  },
  {
    what: "brackets that are not a list",
    text: "---\nargument-hint: [message] | --amend\n---\nB",
    frontmatter: { "argument-hint": "[message] | --amend" },
    body: "B",
    notes: ["frontmatter-repaired"],
  },
  {
    what: "an alias or two",
    text: "---\na: &x hello\nb: *x\n---\nB",
    frontmatter: { a: "hello", b: "hello" },
    body: "B",
  },
  {
    what: "keys that reach a prototype, which are left out",
    text: "---\n__proto__: { isAdmin: true }\na: { constructor: 1, b: 2 }\n---\nB",
    frontmatter: { a: { b: 2 } },
    body: "B",
    notes: ["forbidden-key", "forbidden-key"],
  },
];

describe("parseMarkdown reads", () => {
  for (const { what, text, frontmatter, body, notes = [] } of good) {
    test(what, () => {
      const document = parseMarkdown(text);
      expect(document.frontmatter).toEqual(frontmatter as never);
      expect(document.body).toBe(body);
      expect(document.notes.map((note) => note.code)).toEqual(notes as never);
      expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    });
  }
});

const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"];
for (const [from, to] of ["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"].map((pair) => pair.split(""))) {
  bomb.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(", ")}]`);
}

interface Bad {
  readonly what: string;
  readonly text: string;
  readonly code: string;
  readonly line?: number;
}

const bad: readonly Bad[] = [
  { what: "an empty file", text: " \n\n", code: "empty" },
  { what: "---js frontmatter", text: "---js\n{ name: process.exit(9) }\n---\nB", code: "frontmatter-script", line: 1 },
  { what: "---json frontmatter", text: "---json\n{}\n---\nB", code: "frontmatter-script", line: 1 },
  { what: "frontmatter that never ends", text: "---\na: 1\nbody", code: "frontmatter-unclosed", line: 1 },
  { what: "frontmatter that is a list", text: "---\n- a\n- b\n---\nB", code: "frontmatter-invalid", line: 2 },
  { what: "frontmatter that is one word", text: "---\nhello\n---\nB", code: "frontmatter-invalid", line: 2 },
  { what: "broken YAML", text: '---\na: 1\nb: "open\nc: 2\n---\nB', code: "frontmatter-invalid", line: 3 },
  { what: "an alias bomb", text: `---\n${bomb.join("\n")}\n---\nB`, code: "aliases" },
  { what: "flow nesting", text: `---\na: ${"[".repeat(30_000)}\n---\nB`, code: "too-deep" },
  { what: "block nesting", text: `---\na:\n  ${"- ".repeat(30_000)}x\n---\nB`, code: "too-deep" },
  { what: "nesting the parser accepts", text: `---\na: ${"[".repeat(40)}${"]".repeat(40)}\n---\nB`, code: "too-deep" },
  { what: "a value that contains itself", text: "---\na: &a [*a]\n---\nB", code: "too-deep" },
  { what: "a frontmatter of 70 kB", text: `---\na: ${"x".repeat(70_000)}\n---\nB`, code: "too-large" },
];

describe("parseMarkdown refuses", () => {
  for (const { what, text, code, line } of bad) {
    test(what, () => {
      let thrown: unknown;
      try {
        parseMarkdown(text);
      } catch (refusal) {
        thrown = refusal;
      }
      expect(thrown).toBeInstanceOf(Refusal);
      expect(thrown).toMatchObject({ code, ...(line === undefined ? {} : { line }) });
    });
  }
});
