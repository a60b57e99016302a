import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { findProgram } from "./find-program.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-find-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function program(folder: string, name = "agentprog", mode = 0o755): string {
  mkdirSync(join(root, folder), { recursive: true });
  const path = join(root, folder, name);
  writeFileSync(path, "#!/bin/sh\necho 1.2.3\n");
  chmodSync(path, mode);
  return path;
}

const project = join(root, "project");
program("project");
const installed = program("bin");
const find = (options: Partial<Parameters<typeof findProgram>[0]>) =>
  findProgram({ name: "agentprog", searchPath: undefined, cwd: project, install: "npm i agentprog", ...options });

test("findProgram takes the first program on PATH", () => {
  expect(find({ searchPath: [join(root, "none"), join(root, "bin")].join(delimiter) })).toEqual({
    path: installed,
    source: "path",
  });
});

test("findProgram passes over relative, empty and own-folder entries of PATH", () => {
  const searchPath = ["", ".", "bin", project, join(project, "sub"), join(root, "bin")].join(delimiter);
  program("project/sub");

  expect(find({ searchPath }).path).toBe(installed);
});

test("findProgram passes over entries of PATH in the repository that the working folder is a part of", () => {
  const repository = join(root, "repository");
  program("repository/bin");
  mkdirSync(join(repository, ".git"));
  // A repository inside another one is as much a stranger's as the outer one.
  mkdirSync(join(repository, "a/b/.git"), { recursive: true });
  const searchPath = [repository, join(repository, "bin"), join(root, "bin")].join(delimiter);

  for (const cwd of ["", "a", "a/b", "a/b/c"].map((way) => join(repository, way))) {
    expect(find({ searchPath, cwd }).path).toBe(installed);
  }
});

test("findProgram takes the user's own programs in the home folder, though that is kept in a repository", () => {
  const home = join(root, "home");
  mkdirSync(join(home, ".git"), { recursive: true });
  mkdirSync(join(home, "work"), { recursive: true });
  mkdirSync(join(home, "bin"), { recursive: true });
  for (const folder of ["bin", "."]) copyFileSync(installed, join(home, folder, "agentprog"));
  const searchPath = [home, join(home, "bin")].join(delimiter);

  expect(find({ searchPath, cwd: join(home, "work"), home }).path).toBe(join(home, "agentprog"));
  // Never from the current folder itself.
  expect(find({ searchPath, cwd: home, home }).path).toBe(join(home, "bin/agentprog"));
});

test("findProgram passes over a link on PATH that leads into the working folder", () => {
  mkdirSync(join(root, "links"), { recursive: true });
  symlinkSync(join(project, "agentprog"), join(root, "links", "agentprog"));

  expect(() => find({ searchPath: join(root, "links") })).toThrow(
    expect.objectContaining({ code: "AGENT_UNAVAILABLE" }),
  );
});

test("findProgram passes over files that can't be run, and folders", () => {
  program("plain", "agentprog", 0o644);
  mkdirSync(join(root, "folder", "agentprog"), { recursive: true });

  expect(find({ searchPath: [join(root, "folder"), join(root, "bin")].join(delimiter) }).path).toBe(installed);
});

test("findProgram says where it looked and how to install a missing program", () => {
  const missing = { searchPath: join(root, "none"), packageFiles: ["agentprog/bin"] };
  expect(() => find({ ...missing, settingName: "agents.prog.path" })).toThrow(
    "not as a package, not on PATH. Install it (npm i agentprog), or set its path with `atomic config set agents.prog.path /path/to/agentprog`.",
  );
  // One that no setting and no package is about.
  expect(() => find({ searchPath: join(root, "none") })).toThrow("it is not on PATH. Install it (npm i agentprog).");
});

test("findProgram takes the setting before anything else, and does not fall back when it is wrong", () => {
  const other = program("other", "renamed");
  expect(find({ setting: other, searchPath: join(root, "bin") })).toEqual({ path: other, source: "setting" });
  const wrong = { setting: join(root, "gone"), searchPath: join(root, "bin") };
  expect(() => find({ ...wrong, settingName: "agents.prog.path" })).toThrow(
    `The setting agents.prog.path is "${wrong.setting}", which is not a program.`,
  );
  expect(() => find(wrong)).toThrow(`"${wrong.setting}" is not a program. Correct the path.`);
  expect(() => find({ ...wrong, setting: "./agentprog" })).toThrow("is not an absolute path");
});

test("findProgram takes the file of an installed package before PATH", () => {
  const found = find({ packageFiles: ["no-such-package/bin/x", "typescript/bin/tsc"], searchPath: join(root, "bin") });

  expect(found.source).toBe("package");
  expect(found.path).toEndWith("typescript/bin/tsc");
});
