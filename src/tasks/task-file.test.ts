import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AtomicError } from "../lib/errors.ts";
import {
  migrateTaskList,
  parseTaskData,
  parseTaskList,
  readTaskFile,
  serializeTasks,
  writeTaskFile,
} from "./task-file.ts";
import type { WorkflowTask } from "./workflow-task.ts";

const now = new Date("2026-02-05T00:00:00Z");

function folder(): { path: (name: string) => string } & Disposable {
  const root = mkdtempSync(join(tmpdir(), "atomic-tasks-"));
  return { path: (name) => join(root, name), [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

const files: [what: string, file: unknown, format: string, tasks: readonly WorkflowTask[]][] = [
  [
    "tasks.json with every field",
    {
      version: "1.0",
      tasks: [
        { id: "1", name: "First", status: "passing" },
        {
          id: 2,
          name: "Second",
          description: "More",
          status: "failing",
          priority: 3,
          dependencies: ["#1", 1],
          verify: "npm test",
          error: "it broke",
          metadata: { acceptanceCriteria: ["a"], steps: ["b"] },
        },
        { id: "#3", name: "Third", status: "skipped" },
        { id: "4", name: "Fourth", status: "in_progress" },
        { id: "5", name: "Fifth" },
      ],
      metadata: { createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z", source: "spec" },
    },
    "tasks",
    [
      { id: "1", title: "First", status: "completed" },
      {
        id: "2",
        title: "Second",
        status: "failed",
        blockedBy: ["1"],
        error: "it broke",
        description: "More",
        priority: 3,
        verify: "npm test",
        metadata: { acceptanceCriteria: ["a"], steps: ["b"] },
      },
      { id: "3", title: "Third", status: "completed", isSkipped: true },
      { id: "4", title: "Fourth", status: "in_progress" },
      { id: "5", title: "Fifth", status: "pending" },
    ],
  ],
  [
    "tasks in the words of the state, as a planner writes them",
    {
      tasks: [
        { id: "1", title: "One", status: "completed" },
        { id: "2", title: "Two", blockedBy: ["1"], status: "blocked" },
      ],
    },
    "tasks",
    [
      { id: "1", title: "One", status: "completed" },
      { id: "2", title: "Two", status: "pending", blockedBy: ["1"] },
    ],
  ],
  ["a bare list of tasks", [{ id: 1, title: "One" }], "tasks", [{ id: "1", title: "One", status: "pending" }]],
  [
    "unknown keys, which move into metadata",
    { version: "1.0", tasks: [{ id: "1", name: "A", owner: "ann", tags: ["x"], metadata: { owner: "bob" } }] },
    "tasks",
    [{ id: "1", title: "A", status: "pending", metadata: { "task.owner": "ann", owner: "bob", tags: ["x"] } }],
  ],
  [
    "a feature list",
    {
      features: [
        {
          id: "f1",
          name: "Log in",
          description: "D",
          acceptanceCriteria: ["works"],
          status: "passing",
          implementedAt: "2026-01-01",
        },
        { id: "f2", name: "Log out", description: "E", status: "failing", error: "no" },
      ],
    },
    "features",
    [
      {
        id: "f1",
        title: "Log in",
        status: "completed",
        description: "D",
        metadata: { acceptanceCriteria: ["works"], implementedAt: "2026-01-01" },
      },
      { id: "f2", title: "Log out", status: "failed", description: "E", error: "no" },
    ],
  ],
  [
    "a legacy list",
    [
      { category: "functional", description: "Add feature X", steps: ["..."], passes: true },
      { description: "Add feature Y", passes: false },
    ],
    "legacy",
    [
      {
        id: "1",
        title: "Add feature X",
        status: "completed",
        description: "Category: functional",
        metadata: { category: "functional", steps: ["..."] },
      },
      { id: "2", title: "Add feature Y", status: "pending" },
    ],
  ],
];

describe("parseTaskList reads", () => {
  for (const [what, file, format, tasks] of files) {
    test(what, () => {
      const list = parseTaskList(JSON.stringify(file), "x.json");
      expect(list.format).toBe(format as never);
      expect(list.tasks).toEqual(tasks);
    });

    test(`${what}, and loses nothing when it is written and read again`, () => {
      const list = parseTaskList(JSON.stringify(file), "x.json");
      const again = parseTaskList(serializeTasks(list, now), "y.json");
      expect(again.tasks).toEqual(list.tasks);
      expect(again.metadata).toMatchObject(
        list.metadata["createdAt"] === undefined ? list.metadata : { source: "spec" },
      );
    });
  }

  test("a byte order mark and CRLF", () => {
    expect(parseTaskList('\u{feff}{\r\n"tasks": []\r\n}', "x").tasks).toEqual([]);
  });
});

test("migrateTaskList makes the file that the design document shows", () => {
  const legacy = [{ category: "functional", description: "Add feature X", steps: ["..."], passes: true }];
  expect(JSON.parse(migrateTaskList(parseTaskData(legacy, "x"), now))).toEqual({
    version: "1.0",
    tasks: [
      {
        id: "1",
        name: "Add feature X",
        description: "Category: functional",
        status: "passing",
        metadata: { steps: ["..."], category: "functional" },
      },
    ],
    metadata: { createdAt: "2026-02-05T00:00:00.000Z", updatedAt: "2026-02-05T00:00:00.000Z", source: "migrated" },
  });
});

test("serializeTasks keeps the file's own metadata and never stores blocked", () => {
  const metadata = { createdAt: "2020-01-01T00:00:00Z", updatedAt: "old", team: "core" };
  const text = serializeTasks({ tasks: [{ id: "1", title: "A", status: "blocked" }], metadata }, now);
  expect(JSON.parse(text)).toEqual({
    version: "1.0",
    tasks: [{ id: "1", name: "A", status: "pending" }],
    metadata: { createdAt: "2020-01-01T00:00:00Z", updatedAt: "2026-02-05T00:00:00.000Z", team: "core" },
  });
});

const bad: [what: string, text: string, says: string][] = [
  ["text that is not JSON", "{ tasks:", "is not JSON"],
  ["nothing", "", "is not JSON"],
  ["a number", "5", "x.json: "],
  ["an object without tasks", "{}", "tasks: must be a list of tasks"],
  ["a newer version", `{"version":"2.0","tasks":[]}`, 'version: must be "1.0"'],
  ["a task that is text", `{"tasks":["a"]}`, "tasks[0]: must be a task"],
  ["a task without an id", `{"tasks":[{"name":"a"}]}`, "tasks[0].id: must be a text that is not empty, or a number"],
  ["a task without a name", `{"tasks":[{"id":"1"}]}`, "tasks[0].name: is missing"],
  ["an unknown status", `{"tasks":[{"id":"1","name":"a","status":"done?"}]}`, "tasks[0].status: must be pending"],
  [
    "a priority that is text",
    `{"tasks":[{"id":"1","name":"a","priority":"high"}]}`,
    "tasks[0].priority: must be a number",
  ],
  [
    "dependencies that are text",
    `{"tasks":[{"id":"1","name":"a","dependencies":"2"}]}`,
    "tasks[0].dependencies: must be a list",
  ],
  [
    "an unknown dependency",
    `{"tasks":[{"id":"1","name":"a","dependencies":["9"]}]}`,
    `there is no task with the id "9"`,
  ],
  [
    "an id used twice, once with a hash",
    `{"tasks":[{"id":"1","name":"a"},{"id":"#1","name":"b"}]}`,
    "already the id of tasks[0]",
  ],
  [
    "a circle",
    `{"tasks":[{"id":"1","name":"a","dependencies":["2"]},{"id":"2","name":"b","dependencies":["1"]}]}`,
    "1 -> 2 -> 1",
  ],
  ["features that are not a list", `{"features":{}}`, "features: must be a list of features"],
  ["a legacy feature without a description", `[{"passes":true}]`, "[0].description: "],
  ["a legacy feature with a wrong passes", `[{"description":"a","passes":"yes"}]`, "[0].passes: must be true or false"],
  [
    "a key that reaches a prototype",
    `{"tasks":[{"id":"1","name":"a","metadata":{"__proto__":{"x":1}}}]}`,
    "tasks[0].metadata.__proto__",
  ],
  ["deep nesting", "[".repeat(200_000), "x.json"],
  ["text that drives the terminal", `{"tasks":[{"id":"1","name":"a","dependencies":["\\u001b[2J"]}]}`, "␛[2J"],
];

describe("parseTaskList refuses", () => {
  for (const [what, text, says] of bad) {
    test(what, () => {
      let thrown: unknown;
      try {
        parseTaskList(text, "x.json");
      } catch (error) {
        thrown = error;
      }
      expect(AtomicError.is(thrown, "TASKS_INVALID")).toBe(true);
      expect((thrown as Error).message).toContain(says);
    });
  }

  test("every fault at once", () => {
    const text = `{"tasks":[{"name":"a"},{"id":"2","name":5},{"id":"3","name":"c","priority":"x"}]}`;
    expect(() => parseTaskList(text, "x.json")).toThrow("3 faults");
  });
});

test("parseTaskList refuses what is nested without end, and a task whose title is blank", () => {
  const deep = (levels: number): string => `{"tasks":[],"x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  for (const levels of [600, 50_000])
    expect(() => parseTaskList(deep(levels), "x.json")).toThrow("is nested deeper than 100 levels");
  expect(() => parseTaskList(`{"tasks":[{"id":"1","title":" \\n "}]}`, "x.json")).toThrow("tasks[0].title");
});

describe("readTaskFile", () => {
  test("does not wait for a pipe without a writer", () => {
    using dir = folder();
    Bun.spawnSync(["mkfifo", dir.path("pipe")]);
    expect(() => readTaskFile(dir.path("pipe"))).toThrow("is not a file");
    expect(() => readTaskFile(dir.path("."))).toThrow("is not a file");
  });

  test("answers undefined when there is no file", () => {
    using dir = folder();
    expect(readTaskFile(dir.path("none.json"))).toBeUndefined();
  });

  test("reads what writeTaskFile wrote", () => {
    using dir = folder();
    const tasks: WorkflowTask[] = [{ id: "1", title: "A", status: "completed", isSkipped: true }];
    writeTaskFile(dir.path("tasks.json"), { tasks, metadata: {} }, now);
    expect(readTaskFile(dir.path("tasks.json"))?.tasks).toEqual(tasks);
    expect(readFileSync(dir.path("tasks.json"), "utf8")).toContain('"status": "skipped"');
  });

  const unusable: [what: string, make: (path: string) => void, says: string][] = [
    ["a huge file", (path) => (writeFileSync(path, ""), truncateSync(path, 50 * 1024 * 1024)), "larger than 16 MB"],
    ["invalid UTF-8", (path) => writeFileSync(path, new Uint8Array([0x22, 0xff, 0x22])), "not valid UTF-8"],
    ["a file that was cut short", (path) => writeFileSync(path, '{"version":"1.0","tasks":[{"id"'), "is not JSON"],
  ];
  for (const [what, make, says] of unusable) {
    test(`refuses ${what}`, () => {
      using dir = folder();
      make(dir.path("tasks.json"));
      expect(() => readTaskFile(dir.path("tasks.json"))).toThrow(says);
    });
  }

  test("refuses a folder", () => {
    using dir = folder();
    expect(() => readTaskFile(dir.path("."))).toThrow("is not a file");
  });
});
