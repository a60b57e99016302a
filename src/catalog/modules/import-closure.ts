// A file of code and everything it imports by path: read, hashed, and described well enough for a user to decide
// whether it may run. What is in the closure is exactly what the loader runs; what is not in it is named.

import { dirname, relative, sep } from "node:path";
import { nearest } from "../../lib/did-you-mean.ts";
import { messageOf } from "../../lib/errors.ts";
import { createSha256 } from "../../lib/sha256.ts";
import { Refusal } from "../diagnostics.ts";
import { loaderOf, type ModuleFile, type ModuleFormat, type ModuleReader } from "./read-module.ts";
import { importKind, isPath, resolveImport } from "./resolve-import.ts";
import { rewriteImports, type ImportLink } from "./rewrite-imports.ts";
import type { ModuleImport } from "./scan-module.ts";

const maxFiles = 300;
const maxTotalBytes = 16 * 1024 * 1024;

export interface ClosureFile {
  /** Real path. */
  readonly path: string;
  readonly file: ModuleFile;
  readonly loader: ModuleFormat;
  readonly links: readonly ImportLink[];
}

export interface ComputedImport {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

export interface PackageImport {
  readonly specifier: string;
  readonly path: string;
  readonly line: number;
}

export interface ImportClosure {
  readonly entry: string;
  /** The entry first. */
  readonly files: readonly ClosureFile[];
  /** Covers the bytes of every file and which file imports which. */
  readonly hash: string;
  /** Packages it takes from node_modules: not hashed, so a trust question names them. */
  readonly packages: readonly string[];
  /** The same, with the position of each import. */
  readonly packageImports: readonly PackageImport[];
  /** Those of the host's modules that it imports. */
  readonly hostImports: readonly string[];
  /** Modules of the runtime, like `node:fs`. */
  readonly runtimeModules: readonly string[];
  /** Ways to load code that are only known when it runs. */
  readonly computed: readonly ComputedImport[];
}

export interface ClosureOptions {
  readonly reader: ModuleReader;
  /** Modules that the program itself provides: our subpaths and zod. */
  readonly hostModules: ReadonlySet<string>;
}

/** `entry` is a real path. Throws a Refusal, with the file's name in the message, when any part can't be used. */
export function readImportClosure(entry: string, options: ClosureOptions): ImportClosure {
  const files = new Map<string, ClosureFile>();
  const packageImports: PackageImport[] = [];
  const hostImports = new Set<string>();
  const runtimeModules = new Set<string>();
  const computed: ComputedImport[] = [];
  const base = dirname(entry);
  const waiting: { path: string; loader: ModuleFormat }[] = [{ path: entry, loader: loaderOf(entry) }];
  let totalBytes = 0;

  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { path, loader } = next;
    const known = files.get(path);
    if (known !== undefined) {
      if (known.loader !== loader)
        throw new Refusal("import", `${show(path)} is imported as ${known.loader} and as ${loader}.`);
      continue;
    }
    const file = inFile(path, () => options.reader.read(path));
    totalBytes += file.bytes.length;
    if (files.size >= maxFiles || totalBytes > maxTotalBytes) {
      throw new Refusal("too-large", `It imports more than ${maxFiles} files or ${maxTotalBytes / 1024 / 1024} MB.`);
    }
    const links = loader === "ts" || loader === "js" ? inFile(path, () => followImports(file, loader)) : [];
    files.set(path, { path, file, loader, links });
  }
  return {
    entry,
    files: [...files.values()],
    hash: hashOf([...files.values()], base),
    packages: [...new Set(packageImports.map((each) => each.specifier))].toSorted(),
    packageImports,
    hostImports: [...hostImports].toSorted(),
    runtimeModules: [...runtimeModules].toSorted(),
    computed,
  };

  function followImports(file: ModuleFile, loader: ModuleFormat): ImportLink[] {
    const scan = file.scan();
    refuseMacros(scan.imports);
    const links = scan.imports.flatMap((each) => followImport(each, file.path) ?? []);
    checkWithRuntime(
      rewriteImports(file.text, links, () => followed),
      loader,
      scan.imports,
    );
    if (scan.problem !== undefined) throw new Refusal("syntax", `${scan.problem.message}.`, scan.problem.line);
    if (scan.usesBun) runtimeModules.add("Bun");
    for (const each of scan.computed) computed.push({ path: file.path, ...each });
    return links;
  }

  function followImport(each: ModuleImport, importer: string): ImportLink | undefined {
    const kind = importKind(each.specifier, options.hostModules);
    if (kind === "file") {
      const target = resolveImport(each.specifier, importer);
      if (target === undefined) throw new Refusal("import", `"${each.specifier}" was not found.`, each.line);
      waiting.push({ path: target, loader: loaderOf(target, each.attribute) });
      return { start: each.start, end: each.end, target };
    }
    if (kind === "unsupported") {
      throw new Refusal("import", `"${each.specifier}" can't be imported: only files and packages can.`, each.line);
    }
    if (kind === "package") {
      refuseUnknownSubpath(each, options.hostModules);
      packageImports.push({ specifier: each.specifier, path: importer, line: each.line });
    } else if (kind === "runtime") runtimeModules.add(each.specifier);
    else hostImports.add(each.specifier);
    return undefined;
  }

  function show(path: string): string {
    return relative(base, path).split(sep).join("/");
  }

  /** Faults of an imported file name that file. */
  function inFile<T>(path: string, read: () => T): T {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof Refusal) || path === entry) throw thrown;
      const place = thrown.line === undefined ? show(path) : `${show(path)}:${thrown.line}`;
      throw new Refusal(thrown.code, `${place}: ${thrown.message}`);
    }
  }
}

/** `atomic/…` is ours: an unknown subpath is a typo, never a package of that name. */
function refuseUnknownSubpath(each: ModuleImport, hostModules: ReadonlySet<string>): void {
  if (!/^@?atomic(?:\/|$)/.test(each.specifier)) return;
  const ours = [...hostModules].filter((name) => /^@?atomic\//.test(name));
  const near = nearest(each.specifier, ours);
  const hint = near === undefined ? `There are: ${ours.join(", ")}` : `Did you mean "${near}"?`;
  throw new Refusal("import", `There is no "${each.specifier}". ${hint}`, each.line);
}

/** A macro runs while its importer is parsed, before the user could be asked. */
function refuseMacros(imports: readonly ModuleImport[]): void {
  const macro = imports.find((each) => each.attribute === "macro" || each.specifier.startsWith("macro:"));
  if (macro === undefined) return;
  throw new Refusal(
    "import",
    `"${macro.specifier}" is imported as a macro. Macros are not run. Use a plain import.`,
    macro.line,
  );
}

// The parser would run macros of untrusted files while it reads them. `false` is not in its types.
const withoutMacros: object = { macro: false };

/** Replaces imports by path while the runtime's parser checks a file. */
const followed = "atomic:followed";

/**
 * The runtime's own parser decides: syntax errors are reported as it reports them, and an import that it finds and the
 * scan does not would run without the user's consent. It gets the text without the imports by path that the scan
 * found, so any that it still finds was missed, even if another import has the same path.
 */
function checkWithRuntime(text: string, loader: ModuleFormat, imports: readonly ModuleImport[]): void {
  const found = new Set(imports.map((each) => each.specifier).filter((specifier) => !isPath(specifier)));
  let seen: readonly { path: string; kind: string }[];
  try {
    seen = new Bun.Transpiler({ loader: loader === "ts" ? "ts" : "js", ...withoutMacros }).scan(text).imports;
  } catch (thrown) {
    throw syntaxRefusal(thrown);
  }
  const missed = seen.find(
    (each) => each.kind !== "require-resolve" && each.path !== followed && !found.has(each.path),
  );
  if (missed === undefined) return;
  const message = `The import of "${missed.path}" can't be followed safely. Write it as a plain import statement.`;
  throw new Refusal("import", message);
}

function syntaxRefusal(thrown: unknown): Refusal {
  const position: unknown =
    typeof thrown === "object" && thrown !== null && "position" in thrown ? thrown.position : null;
  const hasLine = typeof position === "object" && position !== null && "line" in position;
  const line = hasLine && typeof position.line === "number" ? position.line : undefined;
  return new Refusal("syntax", `${messageOf(thrown)}.`, line);
}

function hashOf(files: readonly ClosureFile[], base: string): string {
  const name = (path: string): string => relative(base, path).split(sep).join("/");
  const rows = files.map((each) => {
    const links = each.links.map((link) => `${link.start}>${name(link.target)}`);
    return JSON.stringify([name(each.path), each.loader, each.file.sha256, links]);
  });
  // The entry stays first: the same files with another entry are a different program.
  const [entry = "", ...rest] = rows;
  return createSha256()
    .update([entry, ...rest.toSorted()].join("\n"))
    .digest("hex");
}
