import { expect, test } from "bun:test";
import { createPathIndex } from "./path-index.ts";

function index(paths: readonly string[], ignored: readonly string[] = []) {
  const made = createPathIndex();
  made.add(paths, false);
  made.add(ignored, true);
  return (query: string, limit = 10): readonly string[] => made.search(query, limit).map(({ path }) => path);
}

const search = index(
  ["src/", "src/main.ts", "src/app/", "src/app/chat-screen.ts", "src/app/main-menu.ts", "docs/", "docs/Ärger.md"],
  ["dist/", "dist/main.js", ".env"],
);

test("a name that starts with the query comes before one that contains it, and both before a path", () => {
  expect(search("main")).toEqual(["src/main.ts", "src/app/main-menu.ts", "dist/main.js"]);
});

test("letters in order match, across folders too", () => {
  expect(search("schsc")).toEqual(["src/app/chat-screen.ts"]);
  expect(search("SRC/CHAT")).toEqual(["src/app/chat-screen.ts"]);
  expect(search("zzz")).toEqual([]);
});

test("an empty query gives the top of the tree, what is ignored last", () => {
  expect(search("")).toEqual(["docs/", "src/", ".env", "dist/"]);
});

test("letters beyond ASCII match", () => {
  expect(search("ärg")).toEqual(["docs/Ärger.md"]);
});

test("a query that extends the previous one finds what it finds alone", () => {
  const paths = Array.from({ length: 500 }, (_, i) => `pkg-${i % 7}/file-${i}.ts`);
  const typed = index(paths);
  for (const query of ["f", "fi", "file-1", "file-12", "p3/file", "file-12.ts"])
    expect(typed(query)).toEqual(index(paths)(query));
});

test("as many as were asked for, the best of all", () => {
  const paths = Array.from({ length: 200 }, (_, i) => `a/${String(i + 1).padStart(4, "0")}-name.ts`);

  expect(index([...paths, "name.ts"])("name", 3)).toEqual(["name.ts", "a/0001-name.ts", "a/0002-name.ts"]);
});
