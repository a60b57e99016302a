import { expect, test } from "bun:test";
import type { Json } from "../lib/json.ts";
import { acceptanceCriteriaOf, askedFor, taskDetails } from "./task-details.ts";
import type { WorkflowTask } from "./workflow-task.ts";

const task = (more: Partial<WorkflowTask>): WorkflowTask => ({ id: "1", title: "T", status: "pending", ...more });

test("taskDetails shows description, criteria, steps, category and the rest, readable", () => {
  const metadata = {
    acceptanceCriteria: ["It logs in", "It says why\nwhen it can't"],
    steps: ["Open the page", "Type"],
    category: "functional",
    owner: "ann",
    links: [{ title: "Design", url: "https://example.test" }],
    estimate: { days: 2, sure: false },
  };
  const shown = taskDetails(task({ description: "Log in.", metadata }));

  expect(Object.fromEntries(shown.map(({ title, text }) => [title, text]))).toEqual({
    "The task": "Log in.",
    "Acceptance criteria": "- It logs in\n- It says why\n  when it can't",
    Steps: "1. Open the page\n2. Type",
    Category: "functional",
    "Also known about it": [
      "owner: ann",
      "links:",
      "  - title: Design",
      "    url: https://example.test",
      "estimate:",
      "  days: 2",
      "  sure: false",
    ].join("\n"),
  });
});

test("taskDetails and askedFor pass over a description that only repeats the category", () => {
  const migrated = task({
    description: "Category: functional",
    metadata: { category: "functional", steps: ["Open", "Type"] },
  });

  expect(taskDetails(migrated).map(({ title }) => title)).toEqual(["Steps", "Category"]);
  expect(askedFor(migrated)).toBe("Open; Type");
  expect(askedFor(task({ description: "Category: functional", metadata: { category: "functional" } }))).toBe("T");
  expect(askedFor(task({ description: "D", metadata: { steps: ["x"] } }))).toBe("D");
});

test("taskDetails takes values of any shape, and is bounded", () => {
  let deep: Json = "bottom";
  for (let i = 0; i < 90; i++) deep = { in: deep };
  const shapes: Json[] = [null, "", 0, true, [], {}, [[["a"]]], [null, 1, { a: null }], "x".repeat(100_000), deep];
  for (const shape of shapes) {
    const odd = task({ metadata: { acceptanceCriteria: shape, steps: shape, category: shape, other: shape } });
    for (const { text } of taskDetails(odd)) expect(text.length).toBeLessThan(20_010);
    expect(askedFor(odd).length).toBeLessThan(20_010);
    expect(acceptanceCriteriaOf(odd).every((text) => typeof text === "string")).toBe(true);
  }
  expect(acceptanceCriteriaOf(task({ metadata: { acceptanceCriteria: "one" } }))).toEqual(["one"]);
});
