// Reads source files, each once: the bytes, their hash, and the result of the scan. One reader serves one pass (a
// listing, a trust question, a load), in which no file is parsed twice or read again after it was hashed.

import { extname } from "node:path";
import { Refusal } from "../diagnostics.ts";
import { decodeText, readFileBytes } from "../files/read-file.ts";
import { scanModule, type ModuleScan } from "./scan-module.ts";
import { createSha256 } from "../../lib/sha256.ts";

const maxModuleBytes = 1024 * 1024;

/** How the runtime reads a file; the names are Bun's. */
export type ModuleFormat = "ts" | "js" | "json" | "jsonc" | "toml" | "yaml" | "text";

const loaders: Readonly<Record<string, ModuleFormat>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".js": "js",
  ".mjs": "js",
  ".json": "json",
  ".jsonc": "jsonc",
  ".toml": "toml",
  ".yaml": "yaml",
  ".yml": "yaml",
  ".txt": "text",
  ".md": "text",
};

/** `attribute` is the author's own choice: `with { type: "text" }`. */
export function loaderOf(path: string, attribute?: string): ModuleFormat {
  const extension = extname(path).toLowerCase();
  if (attribute === "text") return "text";
  const loader =
    attribute === undefined ? loaders[extension] : Object.values(loaders).find((name) => name === attribute);
  if (loader !== undefined) return loader;
  if (extension === ".tsx" || extension === ".jsx") {
    throw new Refusal("import", "A workflow can't import JSX. Move what it needs into a .ts file.");
  }
  if (extension === ".cjs" || extension === ".cts") {
    throw new Refusal("import", "A workflow can't import CommonJS by path. Make it a .ts file with `export`.");
  }
  const kind = attribute === undefined ? `"${extension}" files` : `with { type: "${attribute}" }`;
  throw new Refusal("import", `A workflow can't import ${kind}: only code (.ts, .js), .json, .toml, .yaml and text.`);
}

export interface ModuleFile {
  /** Real path. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly text: string;
  /** Computed once. For code only: data has nothing to scan. */
  scan(): ModuleScan;
}

export interface ModuleReader {
  /** `path` is real. Throws a Refusal when the file can't be used. */
  read(path: string): ModuleFile;
}

export function createModuleReader(): ModuleReader {
  const files = new Map<string, ModuleFile>();
  return {
    read(path) {
      const known = files.get(path);
      if (known !== undefined) return known;
      const file = readModule(path);
      files.set(path, file);
      return file;
    },
  };
}

function readModule(path: string): ModuleFile {
  const bytes = readFileBytes(path, maxModuleBytes);
  const text = decodeText(bytes);
  let scan: ModuleScan | undefined;
  let sha256: string | undefined;
  return {
    path,
    bytes,
    text,
    get sha256() {
      return (sha256 ??= createSha256().update(bytes).digest("hex"));
    },
    scan: () => (scan ??= scanModule(text)),
  };
}
