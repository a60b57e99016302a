// bin/atomic in every layout it can be started from, with the real Bun and a program that prints what reached it.

import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const projectRoot = join(import.meta.dir, "..");
const temp = realpathSync(mkdtempSync(join(tmpdir(), "atomic-launcher-")));
afterAll(() => rmSync(temp, { recursive: true, force: true }));

const program = `console.log(JSON.stringify({
  main: import.meta.path, args: process.argv.slice(2), cwd: process.cwd(), flags: process.execArgv,
  secret: process.env.SECRET_OF_FOLDER ?? null, preloaded: globalThis.preloadedByFolder ?? null,
}));
process.exit(Number(process.env.EXIT_WITH ?? 0));\n`;

interface Printed {
  main: string;
  args: string[];
  cwd: string;
  flags: string[];
  secret: string | null;
  preloaded: boolean | null;
}

let folders = 0;
function newFolder(): string {
  const folder = join(temp, `case ${++folders}`);
  mkdirSync(folder);
  return folder;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function link(target: string, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(target, file);
}

/** The package at `root`: a clone when `main` is src/main.ts, an installed one when it is dist/main.js. */
function writePackage(root: string, main: "src/main.ts" | "dist/main.js"): void {
  cpSync(join(projectRoot, "bin"), join(root, "bin"), { recursive: true });
  write(join(root, "package.json"), '{ "type": "module" }\n');
  write(join(root, main), program);
}

/** Bun as npm leaves it after its install script ran. */
function writeBun(nodeModules: string): void {
  link(process.execPath, join(nodeModules, "bun/bin/bun.exe"));
}

/** Bun as npm leaves it with install scripts switched off: a dead file, and the binary in the platform's package. */
function writeBunWithoutScripts(nodeModules: string): void {
  write(join(nodeModules, "bun/bin/bun.exe"), "echo dead >&2\nexit 1\n");
  chmodSync(join(nodeModules, "bun/bin/bun.exe"), 0o755);
  link(process.execPath, join(nodeModules, "@oven/bun-linux-x64/bin/bun"));
}

function start(command: string, args: string[] = [], options: { cwd?: string; env?: Record<string, string> } = {}) {
  const run = Bun.spawnSync([command, ...args], {
    cwd: options.cwd ?? temp,
    env: { PATH: "/usr/bin:/bin", HOME: join(temp, "home"), ...options.env },
    stdin: "ignore",
  });
  const stdout = run.stdout.toString();
  return {
    exitCode: run.exitCode,
    stderr: run.stderr.toString(),
    printed: () => JSON.parse(stdout) as Printed,
  };
}

describe("bin/atomic", () => {
  test("passes arguments and the exit code through unchanged", () => {
    const root = newFolder();
    writePackage(root, "src/main.ts");
    writeBun(join(root, "node_modules"));
    const args = ["--help", "run", "two words", "", "$HOME `x` \"q\" 'q'", "--", "-a"];

    const run = start(join(root, "bin/atomic"), args, { env: { EXIT_WITH: "4" } });

    expect(run.exitCode).toBe(4);
    expect(run.stderr).toBe("");
    expect(run.printed()).toMatchObject({ main: join(root, "src/main.ts"), args, cwd: temp });
  });

  test("works through a chain of relative and absolute links", () => {
    const root = newFolder();
    writePackage(root, "src/main.ts");
    writeBun(join(root, "node_modules"));
    const elsewhere = newFolder();
    link(join(root, "bin/atomic"), join(elsewhere, "a/absolute"));
    link("../a/absolute", join(elsewhere, "b/relative"));

    const run = start("./relative", [], { cwd: join(elsewhere, "b") });

    expect(run.stderr).toBe("");
    expect(run.printed().main).toBe(join(root, "src/main.ts"));
  });

  test("works when the shell is asked to run it from its own folder", () => {
    const root = newFolder();
    writePackage(root, "src/main.ts");
    writeBun(join(root, "node_modules"));

    expect(start("/bin/sh", ["atomic", "x"], { cwd: join(root, "bin") }).printed().args).toEqual(["x"]);
  });

  test("runs dist/main.js of an installed package on the Bun installed beside it", () => {
    const host = newFolder();
    const root = join(host, "node_modules/atomic");
    writePackage(root, "dist/main.js");
    writeBun(join(host, "node_modules"));
    link("../atomic/bin/atomic", join(host, "node_modules/.bin/atomic"));

    expect(start(join(host, "node_modules/.bin/atomic")).printed().main).toBe(join(root, "dist/main.js"));
  });

  test("finds Bun further out when the package is nested in another one", () => {
    const host = newFolder();
    const root = join(host, "node_modules/other/node_modules/atomic");
    writePackage(root, "dist/main.js");
    writeBun(join(host, "node_modules"));

    expect(start(join(root, "bin/atomic")).printed().main).toBe(join(root, "dist/main.js"));
  });

  test("works after an install without install scripts", () => {
    const root = newFolder();
    writePackage(root, "src/main.ts");
    writeBunWithoutScripts(join(root, "node_modules"));

    const run = start(join(root, "bin/atomic"));

    expect(run.stderr).toBe("");
    expect(run.exitCode).toBe(0);
  });

  test("works where packages are links into a store", () => {
    const host = newFolder();
    const store = join(host, "node_modules/.store");
    const root = join(store, "atomic@0.5.0/node_modules/atomic");
    writePackage(root, "dist/main.js");
    writeBunWithoutScripts(join(store, "bun@1/node_modules"));
    link("../../bun@1/node_modules/bun", join(store, "atomic@0.5.0/node_modules/bun"));
    link(".store/atomic@0.5.0/node_modules/atomic", join(host, "node_modules/atomic"));

    expect(start(join(host, "node_modules/atomic/bin/atomic")).printed().main).toBe(join(root, "dist/main.js"));
  });

  test("lets nothing of the current folder in: no .env, no preload, no tsconfig, no macros, no packages", () => {
    const root = newFolder();
    writePackage(root, "src/main.ts");
    writeBun(join(root, "node_modules"));
    const stranger = newFolder();
    write(join(stranger, ".env"), "SECRET_OF_FOLDER=1\nEXIT_WITH=9\n");
    write(join(stranger, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
    write(join(stranger, "preload.ts"), "globalThis.preloadedByFolder = true;\n");
    write(join(stranger, "tsconfig.json"), '{"compilerOptions":{"paths":{"*":["./preload.ts"]}}}');

    const run = start(join(root, "bin/atomic"), [], { cwd: stranger });

    expect(run.exitCode).toBe(0);
    expect(run.printed()).toMatchObject({ secret: null, preloaded: null, cwd: stranger });
    expect(run.printed().flags).toContain("--no-install");
    expect(run.printed().flags).toContain("--no-macros");
  });

  test("takes no Bun from PATH or from the current folder", () => {
    const root = newFolder();
    writePackage(root, "src/main.ts");
    const stranger = newFolder();
    writeBun(join(stranger, "node_modules"));

    const run = start(join(root, "bin/atomic"), [], {
      cwd: stranger,
      env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
    });

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain(`Bun is not installed beside ${root}`);
  });

  test("says what is wrong when the package holds no program", () => {
    const root = newFolder();
    writePackage(root, "src/main.ts");
    writeBun(join(root, "node_modules"));
    rmSync(join(root, "src"), { recursive: true });

    const run = start(join(root, "bin/atomic"));

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("neither src/main.ts nor dist/main.js");
  });
});
