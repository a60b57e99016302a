// What is released, and what the documents and CI say about it.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { noticesText } from "../scripts/notices-text.ts";
import { releaseTargets } from "../scripts/release-targets.ts";

const projectRoot = join(import.meta.dir, "..");
const read = (file: string): string => readFileSync(join(projectRoot, file), "utf8");

test("THIRD_PARTY_NOTICES.md is what `npm run notices` writes", () => {
  expect(read("THIRD_PARTY_NOTICES.md")).toBe(noticesText());
});

test("docs/platforms.md names every platform that a release has a file for", () => {
  const listed = /A release has one file for each of these platforms: (.*?)\. /.exec(read("docs/platforms.md"))?.[1];
  expect(listed).toBe(releaseTargets.map(({ name }) => `\`${name}\``).join(", "));
});

test("every npm script and file that CI uses exists", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const text = read(".github/workflows/ci.yml");
  const workflow = Bun.YAML.parse(text) as { jobs: Record<string, { steps: { run?: string }[] }> };
  const commands = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  const names = commands.flatMap((run) => [...run.matchAll(/npm run ([\w:-]+)/g)].map(([, name = ""]) => name));
  const files = commands.flatMap((run) =>
    [...run.matchAll(/(?:\.\.\/)?((?:scripts|\.ci)\/[\w./-]+)/g)].map(([, file = ""]) => file),
  );

  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((name) => scripts[name] === undefined)).toEqual([]);
  expect(files.length).toBeGreaterThan(1);
  expect(files.filter((file) => !existsSync(join(projectRoot, file)))).toEqual([]);
});

test("no file of the repository is checked out with CRLF line ends", () => {
  const listed = Bun.spawnSync(["git", "ls-files", "--eol"], { cwd: projectRoot }).stdout.toString();
  const broken = listed.split("\n").filter((line) => /^i\/(crlf|mixed)/.test(line));
  expect(broken).toEqual([]);
  expect(read(".gitattributes")).toContain("* text=auto eol=lf");
});
