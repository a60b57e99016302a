// bin/atomic in every layout it can be started from, with the real Bun and a program that prints what reached it.

import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { arch, platform } from "node:process";
import manifest from "../package.json" with { type: "json" };

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

/** The package at `root`: a clone when `main` is src/main.ts, an installed one when it is dist/program/main.js. */
function writePackage(root: string, main: "src/main.ts" | "dist/program/main.js"): void {
  cpSync(join(projectRoot, "bin"), join(root, "bin"), { recursive: true });
  const { optionalDependencies } = manifest;
  write(join(root, "package.json"), JSON.stringify({ type: "module", optionalDependencies }, null, 2));
  write(join(root, main), program);
}

const ownPackage = `@oven/bun-${platform.replace("win32", "windows")}-${arch.replace("arm64", "aarch64")}`;

/** Bun as an installer leaves it: in the package of this platform. */
function writeBun(nodeModules: string): void {
  write(join(nodeModules, ownPackage, "package.json"), "{}\n");
  link(process.execPath, join(nodeModules, ownPackage, "bin/bun"));
}

/** A Bun that must not be started. */
function writeDeadBun(nodeModules: string, packageName: string): void {
  const file = join(nodeModules, packageName, "bin/bun");
  write(file, "#!/bin/sh\necho dead >&2\nexit 1\n");
  chmodSync(file, 0o755);
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

  test("runs dist/program/main.js of an installed package on the Bun installed beside it", () => {
    const host = newFolder();
    const root = join(host, "node_modules/atomic");
    writePackage(root, "dist/program/main.js");
    writeBun(join(host, "node_modules"));
    link("../atomic/bin/atomic", join(host, "node_modules/.bin/atomic"));

    expect(start(join(host, "node_modules/.bin/atomic")).printed().main).toBe(join(root, "dist/program/main.js"));
  });

  test("finds Bun further out when the package is nested in another one", () => {
    const host = newFolder();
    const root = join(host, "node_modules/other/node_modules/atomic");
    writePackage(root, "dist/program/main.js");
    writeBun(join(host, "node_modules"));

    expect(start(join(root, "bin/atomic")).printed().main).toBe(join(root, "dist/program/main.js"));
  });

  test("takes the Bun of this platform where those of others are beside it", () => {
    const root = newFolder();
    writePackage(root, "src/main.ts");
    const names = Object.keys(manifest.optionalDependencies).filter(
      (name) => name.startsWith("@oven/bun-") && name !== ownPackage,
    );
    // A musl loader may be on this machine too; its Bun comes after the one for glibc.
    for (const name of names) writeDeadBun(join(root, "node_modules"), name);
    writeBun(join(root, "node_modules"));

    const run = start(join(root, "bin/atomic"));

    expect(names.length).toBe(11);
    expect(run.stderr).toBe("");
    expect(run.exitCode).toBe(0);
  });

  test("works where packages are links into a store", () => {
    const host = newFolder();
    const store = join(host, "node_modules/.store");
    const root = join(store, "atomic@0.5.0/node_modules/atomic");
    writePackage(root, "dist/program/main.js");
    writeBun(join(store, "bun@1/node_modules"));
    link(join(store, "bun@1/node_modules", ownPackage), join(store, "atomic@0.5.0/node_modules", ownPackage));
    link(".store/atomic@0.5.0/node_modules/atomic", join(host, "node_modules/atomic"));

    expect(start(join(host, "node_modules/atomic/bin/atomic")).printed().main).toBe(join(root, "dist/program/main.js"));
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
    expect(run.stderr).toBe(`atomic: Bun is not installed in ${root}. Run \`npm ci\` there.\n`);
  });

  test("says what is wrong when the package holds no program", () => {
    const root = newFolder();
    writePackage(root, "src/main.ts");
    writeBun(join(root, "node_modules"));
    rmSync(join(root, "src"), { recursive: true });

    const run = start(join(root, "bin/atomic"));

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("neither src/main.ts nor dist/program/main.js");
  });

  test("says which command installs Bun when the install left it out", () => {
    const host = newFolder();
    const root = join(host, "node_modules/atomic");
    writePackage(root, "dist/program/main.js");

    const run = start(join(root, "bin/atomic"));

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("atomic: Bun, which runs this program, was not installed with it.\n");
    expect(run.stderr).toContain(`npm install ${ownPackage}@${Bun.version} `);
    expect(run.stderr).toContain("The library, atomic/workflows, also runs on Node.\n");
    writeBun(join(host, "node_modules"));
    expect(start(join(root, "bin/atomic")).exitCode).toBe(0);
  });

  test("says so when the installed Bun is another platform's", () => {
    const root = join(newFolder(), "node_modules/atomic");
    writePackage(root, "dist/program/main.js");
    writeDeadBun(
      join(root, "node_modules"),
      platform === "darwin" ? "@oven/bun-linux-x64" : "@oven/bun-darwin-aarch64",
    );

    const run = start(join(root, "bin/atomic"));

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("is for another platform: ");
    expect(run.stderr).toContain(`npm install ${ownPackage}@${Bun.version} `);
  });

  test("holds no carriage return, which would end its first line", () => {
    for (const name of readdirSync(join(projectRoot, "bin"))) {
      expect(readFileSync(join(projectRoot, "bin", name), "utf8")).not.toContain("\r");
    }
  });
});

describe("bin/atomic run by Node", () => {
  const node = realpathSync(Bun.which("node") ?? "node");

  test("starts the same program with the same flags, arguments and exit code", () => {
    const host = newFolder();
    const root = join(host, "node_modules/atomic");
    writePackage(root, "dist/program/main.js");
    writeBun(join(host, "node_modules"));
    const args = ["--help", "two words", "", "--", "-a"];
    const options = { env: { EXIT_WITH: "4" } };

    const byNode = start(node, [join(root, "bin/atomic"), ...args], options);
    const byShell = start(join(root, "bin/atomic"), args, options);

    expect(byNode.stderr).toBe("");
    expect(byNode.exitCode).toBe(4);
    expect(byNode.printed()).toEqual(byShell.printed());
    expect(byNode.printed().flags.length).toBe(5);
  });

  test("says which package is missing when the install left Bun out", () => {
    const root = join(newFolder(), "node_modules/atomic");
    writePackage(root, "dist/program/main.js");

    const run = start(node, [join(root, "bin/atomic")]);

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("atomic: Bun, which runs this program, was not installed with it.\n");
    expect(run.stderr).toContain(`${ownPackage}@${Bun.version}`);
  });

  test("passes SIGTERM on, and ends by the signal that ended the program", async () => {
    const root = newFolder();
    writePackage(root, "src/main.ts");
    writeBun(join(root, "node_modules"));
    write(
      join(root, "src/main.ts"),
      `process.on("SIGTERM", () => { console.log("stopping"); process.kill(process.pid, "SIGKILL"); });
       setInterval(() => undefined, 1000); console.log("ready");`,
    );
    const run = Bun.spawn([node, join(root, "bin/atomic")], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
    let printed = "";
    for await (const chunk of run.stdout) {
      const before = printed;
      printed += new TextDecoder().decode(chunk);
      if (!before.includes("ready") && printed.includes("ready")) run.kill("SIGTERM");
    }

    await run.exited;
    expect(printed).toBe("ready\nstopping\n");
    expect(run.signalCode).toBe("SIGKILL");
  });
});
