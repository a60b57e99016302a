import { expect, test } from "bun:test";
import { tempTree } from "../../tests/support/temp-tree.ts";
import { findProjectFolder } from "./project-folder.ts";

test("a project is found from any folder inside it", () => {
  using tree = tempTree({ "p/.atomic/settings.json": "{}", "p/src/deep/a.txt": "", "q/a.txt": "" });
  const found = (from: string): string => findProjectFolder(tree.path(from), tree.path("home"));
  expect(found("p")).toBe(tree.path("p"));
  expect(found("p/src/deep")).toBe(tree.path("p"));
  expect(found("q")).toBe(tree.path("q"));
});

test("the search ends at the top of the repository", () => {
  using tree = tempTree({ "p/.atomic/settings.json": "{}", "p/vendor/.git/HEAD": "", "p/vendor/src/a.txt": "" });
  expect(findProjectFolder(tree.path("p/vendor/src"), tree.path("home"))).toBe(tree.path("p/vendor/src"));
});

test("the user's own folder is not a project", () => {
  using tree = tempTree({ "home/.atomic/settings.json": "{}", "home/work/a.txt": "" });
  expect(findProjectFolder(tree.path("home/work"), tree.path("home"))).toBe(tree.path("home/work"));
});

test.skipIf(process.getuid?.() !== 0)("a folder above that another user made is skipped", () => {
  using tree = tempTree({ "shared/.atomic/settings.json": "{}", "shared/mine/a.txt": "" });
  const { chownSync } = process.getBuiltinModule("node:fs");
  chownSync(tree.path("shared/.atomic"), 12_345, 12_345);
  expect(findProjectFolder(tree.path("shared/mine"), tree.path("home"))).toBe(tree.path("shared/mine"));
});
