import { expect, test } from "bun:test";
import { type CheckpointerOptions, createCheckpointer } from "./create-checkpointer.ts";
import { FileSaver } from "./files/file-saver.ts";
import { ResearchDirSaver } from "./files/research-dir-saver.ts";
import { SessionDirSaver } from "./files/session-dir-saver.ts";
import { MemorySaver } from "./memory.ts";
import { SqliteSaver } from "./sqlite/sqlite-saver.ts";

test("createCheckpointer makes the store of each type and touches no disk", () => {
  expect(createCheckpointer({ type: "memory" })).toBeInstanceOf(MemorySaver);
  expect(createCheckpointer({ type: "file", dir: "/nowhere/runs" })).toBeInstanceOf(FileSaver);
  expect(createCheckpointer({ type: "session", dir: (run) => `/nowhere/${run}` })).toBeInstanceOf(SessionDirSaver);
  expect(createCheckpointer({ type: "research" })).toBeInstanceOf(ResearchDirSaver);
  expect(createCheckpointer({ type: "sqlite", path: "/nowhere/runs.db" })).toBeInstanceOf(SqliteSaver);
});

test("createCheckpointer names the types when it does not know one", () => {
  const options = JSON.parse('{"type":"postgres"}') as CheckpointerOptions;
  expect(() => createCheckpointer(options)).toThrow('does not know the type "postgres". Use "memory", "file"');
});

test.each(["file", "session", "sqlite"])("createCheckpointer of type %s says which option is missing", (type) => {
  const options = JSON.parse(JSON.stringify({ type })) as CheckpointerOptions;
  expect(() => createCheckpointer(options)).toThrow(/needs "(dir|path)"/);
});
