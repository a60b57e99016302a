// Loads an agent's SDK, which is an optional package: from the folders that can hold it, and from nowhere else. A plain
// `import("name")` would do almost the same, but Bun may fetch a missing package over the network, and tests keep
// theirs in a folder of their own.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { BackendHost } from "./backend-host.ts";
import { packageFolders, type PackageFoldersOptions } from "./package-folders.ts";

export interface ImportPackageOptions extends PackageFoldersOptions {
  readonly name: string;
  /** `v2/client` of `name/v2/client`; absent: the package's main module. */
  readonly subpath?: string | undefined;
  /** How to get it, for the error: `npm install -g @github/copilot-sdk`. */
  readonly install: string;
}

export interface ImportedPackage {
  readonly module: Readonly<Record<string, unknown>>;
  readonly version: string;
}

/** Throws AGENT_UNAVAILABLE when it is missing or does not load. */
export async function importPackage(options: ImportPackageOptions): Promise<ImportedPackage> {
  const { name, install } = options;
  const found = findPackage(options);
  if (found === undefined)
    throw new AtomicError("AGENT_UNAVAILABLE", `The package "${name}" is not installed. Install it: ${install}.`, {
      details: { package: name, install },
    });
  const entry = entryOf(found.manifest, options.subpath);
  try {
    if (entry === undefined) throw new Error(`it has no module "${options.subpath ?? "."}"`);
    const module = (await import(pathToFileURL(join(found.folder, entry)).href)) as Record<string, unknown>;
    return { module, version: asText(found.manifest["version"]) ?? "" };
  } catch (cause) {
    throw new AtomicError(
      "AGENT_UNAVAILABLE",
      `The package "${name}" in ${found.folder} does not load: ${messageOf(cause)}. Install it again: ${install}.`,
      { cause, details: { package: name, install } },
    );
  }
}

/** The SDK of an agent, from where the host has its packages. Throws AGENT_UNAVAILABLE, also when it is another one. */
export async function importSdk<Sdk extends object>(
  host: BackendHost,
  cwd: string,
  sdk: { readonly name: string; readonly install: string; readonly isSdk: (module: object) => module is Sdk },
): Promise<Sdk> {
  const { name, install } = sdk;
  const { packagesFrom } = host;
  const searchPath = host.environment.user["PATH"];
  const { module, version } = await importPackage({ name, install, packagesFrom, searchPath, cwd });
  if (sdk.isSdk(module)) return module;
  throw new AtomicError(
    "AGENT_UNAVAILABLE",
    `The package "${name}" ${version} is another version than this program knows. Install it again: ${install}.`,
    { details: { package: name, version } },
  );
}

interface FoundPackage {
  readonly folder: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

function findPackage(options: ImportPackageOptions): FoundPackage | undefined {
  for (const parent of packageFolders(options)) {
    const folder = join(parent, options.name);
    const manifest = readManifest(join(folder, "package.json"));
    if (manifest !== undefined) return { folder, manifest };
  }
  return undefined;
}

function readManifest(file: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What `exports` says for an import; packages without `exports` say it with `main`. */
function entryOf(manifest: Readonly<Record<string, unknown>>, subpath: string | undefined): string | undefined {
  const { exports, module, main } = manifest;
  if (exports === undefined) return subpath ?? asText(module) ?? asText(main) ?? "index.js";
  const isMap = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."));
  if (isMap) return target(exports[subpath === undefined ? "." : `./${subpath}`]);
  return subpath === undefined ? target(exports) : undefined;
}

function target(value: unknown): string | undefined {
  if (!isRecord(value)) return asText(value);
  const condition = Object.keys(value).find((key) => key === "import" || key === "default");
  return condition === undefined ? undefined : target(value[condition]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
