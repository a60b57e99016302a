// Packs the project and uses the tarball as a stranger would: installs it into an empty folder, imports every subpath
// under Bun and under plain Node, compiles against its declarations, starts its program, and looks at what is in it.
// Works in temporary folders only; the checkout's own dist/ is not touched.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { mustRun } from "./run-command.ts";

const projectRoot = join(import.meta.dir, "..");
const temp = mkdtempSync(join(tmpdir(), "atomic-package-"));
const consumer = join(temp, "consumer");
const installed = join(consumer, "node_modules/atomic");
// npm sets variables of its own for the scripts it runs; they must not steer the npm that is started here.
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_OPTIONS$)/i.test(name)),
);

try {
  const tarball = await pack();
  await install(tarball);
  checkContents();
  checkEngineStandsAlone();
  await checkImports();
  await checkDeclarations();
  await checkProgram();
  await lintPackage();
} finally {
  rmSync(temp, { recursive: true, force: true });
}

/** Packs a copy of the project, and returns the path of the tarball. */
async function pack(): Promise<string> {
  const stage = join(temp, "stage");
  for (const name of readdirSync(projectRoot)) {
    if ([".git", "node_modules", "dist", "bench"].includes(name)) continue;
    cpSync(join(projectRoot, name), join(stage, name), { recursive: true });
  }
  symlinkSync(join(projectRoot, "node_modules"), join(stage, "node_modules"));
  const output = await mustRun(["npm", "pack", "--json", "--silent", "--pack-destination", temp], {
    cwd: stage,
    env: environment,
  });
  const tarball = readdirSync(temp).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error(`npm pack left no tarball:\n${output}`);
  return join(temp, tarball);
}

/** Without install scripts, as a careful npm installs it: the launcher must cope. */
async function install(tarball: string): Promise<void> {
  mkdirSync(consumer);
  writeFileSync(join(consumer, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }\n');
  await mustRun(["npm", "install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", tarball], {
    cwd: consumer,
    env: environment,
  });
}

function checkContents(): void {
  const allowed =
    /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|THIRD_PARTY_NOTICES\.md|docs\/errors\.md|bin\/(atomic|(find-bun|explain-missing-bun)\.sh|start-from-node\.cjs|bunfig\.toml|(tsconfig|package)\.json)|dist\/(program\/)?(shared\/)?[\w-]+\.js|dist\/source\/[\w/-]+\.ts|dist\/dts\/[\w/-]+\.d\.ts(\.map)?)$/;
  const machinePaths = [projectRoot, temp, `${homedir()}/`, "/home/", "/Users/", "file:///"];
  const files = readdirSync(installed, { recursive: true, encoding: "utf8", withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  let bytes = 0;
  for (const entry of files) {
    const file = join(entry.parentPath, entry.name);
    const name = file.slice(installed.length + 1);
    if (!allowed.test(name) || /(^|\/)tests?\/|\.test\./.test(name))
      throw new Error(`The tarball must not hold ${name}.`);
    const text = readFileSync(file, "utf8");
    bytes += text.length;
    for (const path of machinePaths) {
      if (text.includes(path)) throw new Error(`${name} of the tarball holds the machine's path ${path}.`);
    }
    if (text.includes("bun:test")) throw new Error(`${name} of the tarball imports the test runner.`);
  }
  console.log(`tarball: ${files.length} files, ${Math.round(bytes / 1024)} kB unpacked`);
}

/** The engine depends on no package, whatever it reaches: follow its imports, file by file. */
function checkEngineStandsAlone(): void {
  const transpiler = new Bun.Transpiler({ loader: "js" });
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path, kind } of transpiler.scanImports(readFileSync(file))) {
      if (path.startsWith("node:")) continue;
      // Task lists are checked with a schema library; taskLoopNode loads it when it runs, and nothing else does.
      if (kind === "dynamic-import" && /\/task-file-/.test(path)) continue;
      if (!path.startsWith(".")) throw new Error(`atomic/workflows/graph must need no package, but imports ${path}.`);
      visit(join(file, "..", path));
    }
  };
  visit(join(installed, "dist/graph.js"));
}

async function checkImports(): Promise<void> {
  cpSync(join(projectRoot, "scripts/package-consumer/run.js"), join(consumer, "run.js"));
  const node = await mustRun(["node", "--version"], { cwd: consumer, env: environment });
  const bun = [process.execPath, "--no-env-file", "--no-install"];
  console.log(
    `under Bun ${Bun.version}:\n${await mustRun([...bun, "run.js"], { cwd: consumer, env: environment })}`.trimEnd(),
  );
  console.log(
    `under Node ${node.trim()}:\n${await mustRun(["node", "run.js"], { cwd: consumer, env: environment })}`.trimEnd(),
  );
}

async function checkDeclarations(): Promise<void> {
  cpSync(join(projectRoot, "scripts/package-consumer/compile.ts"), join(consumer, "compile.ts"));
  for (const [module, moduleResolution] of [
    ["nodenext", "nodenext"],
    ["preserve", "bundler"],
  ]) {
    const config = {
      compilerOptions: {
        module,
        moduleResolution,
        target: "ES2022",
        // No Node or Bun types: the declarations must not need them. They are checked too.
        lib: ["ES2023", "DOM"],
        types: [],
        skipLibCheck: false,
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
      },
      files: ["compile.ts"],
    };
    writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify(config));
    await mustRun([join(projectRoot, "node_modules/.bin/tsc"), "-p", "."], { cwd: consumer, env: environment });
    console.log(`declarations compile with moduleResolution ${moduleResolution}`);
  }
}

async function checkProgram(): Promise<void> {
  if (!existsSync(join(projectRoot, "src/main.ts"))) return;
  const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { version: string };
  const printed = await mustRun([join(consumer, "node_modules/.bin/atomic"), "--version"], {
    cwd: temp,
    env: environment,
  });
  if (printed.trim() !== version) throw new Error(`atomic --version printed "${printed.trim()}", not ${version}.`);
  console.log(`atomic --version: ${version}`);
}

async function lintPackage(): Promise<void> {
  const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false });
  if (messages.length > 0) {
    throw new Error(`publint:\n${messages.map((message) => formatMessage(message, pkg ?? {})).join("\n")}`);
  }
  console.log("publint: nothing to report");
}
