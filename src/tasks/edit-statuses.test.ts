import { describe, expect, test } from "bun:test";
import { editStatuses, type TaskEnd } from "./edit-statuses.ts";
import { parseTaskList } from "./task-file.ts";

const now = new Date("2026-02-05T00:00:00Z");
const done = (id: string, title = ""): TaskEnd => ({ id, title, status: "completed" });
const failed = (id: string, error: string, title = ""): TaskEnd => ({ id, title, status: "failed", error });

describe("editStatuses", () => {
  test("changes statuses and nothing else, in the spacing of the file", () => {
    const text = `{
    "version": "1.0",
    "tasks": [
        {
            "id": "1",
            "name": "A { \\"b\\" ]",
            "status": "pending",
            "odd": [1, {"x": "}"}]
        },
        { "id": 2, "name": "B", "error": "old", "status": "failing" },
        {"id":"#3","name":"C"}
    ],
    "metadata": { "updatedAt": "2020", "owner": "ann" }
}
`;
    const edited = editStatuses(text, [done("1"), done("2"), failed("3", 'no "way"')], now);

    expect(edited).toBe(
      text
        .replace('"status": "pending"', '"status": "passing"')
        .replace('"error": "old", "status": "failing"', '"status": "passing"')
        .replace('{"id":"#3","name":"C"}', '{"id":"#3","name":"C","status":"failing","error":"no \\"way\\""}')
        .replace('"2020"', '"2026-02-05T00:00:00.000Z"'),
    );
    expect(parseTaskList(edited, "x").tasks.map(({ status }) => status)).toEqual(["completed", "completed", "failed"]);
    expect(editStatuses(edited, [done("1"), done("2"), failed("3", 'no "way"')], now)).toBe(edited);
  });

  test("keeps line ends and a byte order mark, and adds a status on a separate line", () => {
    const text =
      '\u{feff}{\r\n\t"features": [\r\n\t\t{\r\n\t\t\t"id": "a",\r\n\t\t\t"name": "A"\r\n\t\t}\r\n\t]\r\n}\r\n';

    expect(editStatuses(text, [done("a")], now)).toBe(
      text.replace('"name": "A"', '"name": "A",\r\n\t\t\t"status": "passing"'),
    );
  });

  test("keeps using the words that the list uses", () => {
    const text = '[{ "id": 1, "title": "A", "status": "completed" }, { "id": 2, "title": "B" }]';

    expect(editStatuses(text, [failed("2", "e")], now)).toContain('"title": "B", "status": "failed", "error": "e"');
  });

  test("leaves what the user marked as done or skipped, and tasks that it does not know", () => {
    const text = '{"tasks":[{"id":"1","name":"A","status":"skipped"},{"id":"2","name":"B","status":"passing"}]}';

    expect(editStatuses(text, [failed("1", "e"), failed("2", "e"), done("9")], now)).toBe(text);
  });

  test("finds tasks of a legacy list by their description, also when lines moved", () => {
    const text = `[
  { "description": "New", "passes": false },
  { "description": "A", "steps": ["x"], "passes": false },
  { "description": "B" },
  { "description": "Twice" },
  { "description": "Twice" }
]`;
    const ends = [done("1", "A"), done("2", "B"), done("3", "Twice"), failed("9", "e", "New")];

    expect(editStatuses(text, ends, now)).toBe(
      text
        .replace('"steps": ["x"], "passes": false', '"steps": ["x"], "passes": true')
        .replace('{ "description": "B" }', '{ "description": "B", "passes": true }'),
    );
  });

  test("changes the only item of a description once, whichever tasks lead to it", () => {
    const text = `[{ "description": "A", "passes": false }, { "description": "Twice", "passes": false }]`;
    const edited = editStatuses(text, [done("3", "Twice"), done("4", "Twice")], now);

    expect(JSON.parse(edited)).toEqual([
      { description: "A", passes: false },
      { description: "Twice", passes: true },
    ]);
  });

  test("takes 20,000 tasks at once", () => {
    const tasks = Array.from({ length: 20_000 }, (_, i) => ({ id: `t${i}`, name: `Task ${i}`, status: "pending" }));
    const text = JSON.stringify({ version: "1.0", tasks }, null, 2);
    const edited = editStatuses(
      text,
      tasks.map(({ id }) => done(id)),
      now,
    );

    expect(JSON.parse(edited).tasks.every(({ status }: { status: string }) => status === "passing")).toBe(true);
  });
});
