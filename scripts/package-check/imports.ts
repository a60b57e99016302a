// Imports the library of the tarball: every import of every module resolves, and every subpath loads under Bun and
// Node.

import { cpSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { mustRun } from "../run-command.ts";
import { environment, projectRoot, type Packed } from "./packed.ts";

export async function checkImports(packed: Packed): Promise<string> {
  checkDeclared(packed.installed);
  checkEngineStandsAlone(packed.installed);
  checkEffectsAreListed(packed.installed);
  cpSync(join(projectRoot, "scripts/package-consumer/run.js"), join(packed.consumer, "run.js"));
  const options = { cwd: packed.consumer, env: environment };
  const node = await mustRun(["node", "--version"], options);
  const underBun = await mustRun([process.execPath, "--no-env-file", "--no-install", "run.js"], options);
  const underNode = await mustRun(["node", "run.js"], options);
  return `under Bun ${Bun.version}:\n${underBun}under Node ${node}${underNode}`.trimEnd();
}

interface Import {
  readonly file: string;
  readonly path: string;
  readonly isLazy: boolean;
}

function importsOf(file: string): readonly Import[] {
  const found = new Bun.Transpiler({ loader: "js" }).scanImports(readFileSync(file));
  return found.map(({ path, kind }) => ({ file, path, isLazy: kind === "dynamic-import" }));
}

/** An import of a package that is not installed fails only when its code runs, so every file is checked. */
function checkDeclared(installed: string): void {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
    optionalDependencies: Readonly<Record<string, string>>;
  };
  const dist = join(installed, "dist");
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
  for (const { file, path } of files.flatMap((name) => importsOf(join(dist, name)))) {
    if (path.startsWith(".") || path.startsWith("bun:") || isBuiltin(path)) continue;
    // The screen of the chat needs optional packages; without them the chat uses plain lines.
    const isOptional = Object.keys(optionalDependencies).some((name) => path === name || path.startsWith(`${name}/`));
    if (isOptional && file.startsWith(join(dist, "program/tui"))) continue;
    const isProgram = file.startsWith(join(dist, "program"));
    if (isProgram || dependencies[path.split("/")[0] ?? ""] === undefined) {
      throw new Error(`${file.slice(installed.length + 1)} imports ${path}, which an install does not bring.`);
    }
  }
}

/** A bundler may drop a module that is not listed, and with it the side effects of loading it. */
function checkEffectsAreListed(installed: string): void {
  const { sideEffects } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    sideEffects: readonly string[];
  };
  const dist = join(installed, "dist");
  for (const name of readdirSync(dist).filter((each) => each.endsWith(".js"))) {
    const text = readFileSync(join(dist, name), "utf8");
    const hasEffect = /^(provideTaskFiles|setDefaultRuntime)\(|^import "/m.test(text);
    if (hasEffect !== sideEffects.includes(`./dist/${name}`)) {
      throw new Error(`dist/${name} ${hasEffect ? "must be" : "is, but need not be,"} listed in sideEffects.`);
    }
  }
}

/** The engine's browser build imports no package and no built-in module, statically or dynamically. */
function checkEngineStandsAlone(installed: string): void {
  const seen = new Set<string>([join(installed, "dist/graph.js")]);
  for (const file of seen) {
    for (const { path } of importsOf(file)) {
      if (!path.startsWith(".")) throw new Error(`atomic/workflows/graph must need nothing, but imports ${path}.`);
      seen.add(join(dirname(file), path));
    }
  }
}
