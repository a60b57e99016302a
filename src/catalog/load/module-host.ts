// Runs verified bytes, and nothing else. Each file of a closure is served to the runtime from memory, under its own
// path with a mark; its imports by path are rewritten to the marked names of the other files. So what runs is what was
// hashed, even if files on disk change in between, and `import.meta` and stack traces still name the real file. The
// program itself provides our own subpaths and zod, so that there is one SDK, with or without a node_modules.
//
// The runtime's plugins are one per process, so the host is too. Bun asks a plugin only about names whose last dot is
// followed by a letter, hence the end of the mark; `assertServed` checks for every file that its name resolves to this
// host before any of it runs.

import { createRequire } from "node:module";
import type { Clock } from "../../lib/clock.ts";
import { AtomicError } from "../../lib/errors.ts";
import { Refusal } from "../diagnostics.ts";
import type { ClosureFile, ImportClosure } from "../modules/import-closure.ts";
import { rewriteImports } from "../modules/rewrite-imports.ts";
import { callWithin, settleWithin } from "./guarded-call.ts";
import { parseData } from "./parse-data.ts";

/** What the program serves under bare names: loaded when first needed. */
export type HostModules = Readonly<Record<string, () => object | Promise<object>>>;

export type ModuleNamespace = Readonly<Record<string, unknown>>;

export interface ModuleHost {
  /** Names that need no package. */
  readonly names: ReadonlySet<string>;
  /** Evaluates the closure's entry. Rejects with what the code threw, or with TookTooLong. */
  run(closure: ImportClosure, limitMs: number): Promise<ModuleNamespace>;
}

type Served = { readonly contents: string; readonly loader: "ts" | "js" } | { readonly exports: object };

const mark = /\?atomic=[\da-f]{16}-\d+\.verified$/;
const served = new Map<string, Served>();
const hostExports = new Map<string, object>();
const registered = new Set<string>();
let isInstalled = false;
let loads = 0;

export function createModuleHost(modules: HostModules, clock: Clock): ModuleHost {
  install();
  const require = createRequire(import.meta.url);
  return {
    names: new Set(Object.keys(modules)),
    async run(closure, limitMs) {
      await provide(closure.hostImports, modules);
      const entry = serve(closure);
      // `require` runs the module before it returns, so the watchdog covers it, up to its first top-level await.
      try {
        callWithin(limitMs, () => void require(entry));
      } catch (thrown) {
        if (!isAsyncModule(thrown)) throw thrown;
        return settleWithin(limitMs, clock, import(entry) as Promise<ModuleNamespace>, closure.entry);
      }
      // The same module instance, which has already run.
      return import(entry) as Promise<ModuleNamespace>;
    },
  };
}

/** Paths in a stack trace, without the mark. */
export function withoutMarks(text: string): string {
  return text.replace(/\?atomic=[\da-f]{16}-\d+\.verified/g, "");
}

function install(): void {
  if (isInstalled) return;
  Bun.plugin({
    name: "atomic",
    setup(build) {
      build.onResolve({ filter: mark }, ({ path }) => ({ path }));
      build.onLoad({ filter: mark }, ({ path }) => {
        const file = served.get(path);
        if (file === undefined) throw new Error(`${withoutMarks(path)} is not part of what was trusted.`);
        return "exports" in file ? { exports: { ...file.exports }, loader: "object" } : file;
      });
    },
  });
  isInstalled = true;
}

async function provide(names: readonly string[], modules: HostModules): Promise<void> {
  for (const name of names) {
    const load = modules[name];
    if (load !== undefined && !hostExports.has(name)) hostExports.set(name, await load());
    if (registered.has(name)) continue;
    registered.add(name);
    Bun.plugin({
      name: `atomic ${name}`,
      setup(build) {
        build.module(name, () => ({ exports: { ...hostExports.get(name) }, loader: "object" }));
      },
    });
  }
}

/** Makes the closure's files available; each load has unique names, so that a failed one leaves nothing behind. */
function serve(closure: ImportClosure): string {
  const suffix = `?atomic=${closure.hash.slice(0, 16)}-${++loads}.verified`;
  for (const file of closure.files) served.set(file.path + suffix, prepare(file, suffix));
  for (const file of closure.files) assertServed(file.path + suffix);
  return closure.entry + suffix;
}

function assertServed(name: string): void {
  if (Bun.resolveSync(name, "/") === name) return;
  throw new AtomicError(
    "WORKFLOW_FILE_INVALID",
    `${withoutMarks(name)} can't be loaded safely under this name. Rename it.`,
  );
}

function prepare(file: ClosureFile, suffix: string): Served {
  const { loader } = file;
  if (loader === "ts" || loader === "js") return { contents: rewrite(file, suffix), loader };
  try {
    return { exports: parseData(file.file.text, loader) };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    throw new Refusal(thrown.code, `${file.path}: ${thrown.message}`);
  }
}

function rewrite({ file, links }: ClosureFile, suffix: string): string {
  // Without an export the runtime would treat a helper that only calls `require` as CommonJS, and never run it.
  return `${rewriteImports(file.text, links, (link) => link.target + suffix)}\nexport {};\n`;
}

/** The runtime's error for a module with a top-level await. */
function isAsyncModule(thrown: unknown): boolean {
  return thrown instanceof TypeError && thrown.message.startsWith("require() async module");
}
