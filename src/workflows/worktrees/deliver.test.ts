import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deliverFiles } from "./deliver.ts";
import { openRepository } from "./run-repository.ts";

setDefaultTimeout(60_000);

const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-deliver-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const outside = join(root, "outside");
mkdirSync(outside);
writeFileSync(join(outside, "x"), "the user's\n");

const top = join(root, "project");
const text = (name: string): string => readFileSync(join(top, name), "utf8");

function sh(command: string): string {
  const author = { GIT_AUTHOR_NAME: "T", GIT_AUTHOR_EMAIL: "t@t", GIT_COMMITTER_NAME: "T", GIT_COMMITTER_EMAIL: "t@t" };
  const env = { PATH: process.env["PATH"], HOME: root, ...author };
  const done = Bun.spawnSync(["sh", "-ec", command], { cwd: existsSync(top) ? top : root, env });
  if (done.exitCode !== 0) throw new Error(`${command}: ${done.stderr.toString()}`);
  return done.stdout.toString().trim();
}

sh(`git init -q ${top}`);
const before = `mkdir -p one/in two && echo a > one/in/a.txt && echo b > two/b.txt && echo c > three && ln -s ${outside} link`;
const from = sh(`${before} && git add . && git commit -qm Before && git rev-parse HEAD`);
const after = `rm -r one two three link && echo 1 > one && ln -s ${outside} two && mkdir three link && echo 3 > three/x && echo 4 > link/x`;
const to = sh(`${after} && git add -A . && git commit -qm After && git rev-parse HEAD`);
const run = "00000000-0000-4000-8000-000000000000";
const repository = await openRepository({ run, top, dir: join(root, "trees"), processesDir: root, base: from });

function expectDelivered(): void {
  expect(text("one") + text("three/x") + text("link/x")).toBe("1\n3\n4\n");
  expect(readlinkSync(join(top, "two"))).toBe(outside);
  expect(readFileSync(join(outside, "x"), "utf8")).toBe("the user's\n");
}

test("a folder that becomes a file or a link, and either of these that becomes a folder, are delivered", async () => {
  sh(`git reset -q --hard ${from}`);

  expect(await deliverFiles(repository, { from, to })).toEqual({ files: 8, blocked: [] });

  expectDelivered();
});

test("a delivery of these that was killed in the middle continues", async () => {
  sh(`git reset -q --hard ${from} && git clean -qfd && rm -r two three one/in && ln -s ${outside} two && rmdir one`);
  expect((await deliverFiles(repository, { from, to })).blocked).toEqual([]);
  expectDelivered();
});

test("what the user has in such a folder stays, and so does everything else", async () => {
  sh(`git reset -q --hard ${from} && git clean -qfd && echo mine > one/in/mine.txt`);
  expect(await deliverFiles(repository, { from, to })).toEqual({ files: 0, blocked: ["one"] });
  expect(text("one/in/a.txt") + text("one/in/mine.txt") + text("three")).toBe("a\nmine\nc\n");
  rmSync(join(top, "one/in/mine.txt"));

  // A link of the user's in place of a folder is nothing of ours.
  rmSync(join(top, "two"), { recursive: true });
  symlinkSync(root, join(top, "two"));
  expect((await deliverFiles(repository, { from, to })).blocked).toEqual(["two"]);
  expect(readlinkSync(join(top, "two"))).toBe(root);
});
