// A script from a file: JSON, JSON with comments, or TypeScript that exports the same object. A `.ts` script is code
// that the user named on the command line; it is imported, like any program they run.

import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { decodeUtf8 } from "../../lib/decode-utf8.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { parseJsonc } from "../../lib/jsonc.ts";
import { readPlainFile } from "../../lib/plain-file.ts";
import { parseScript, type Script } from "./script-schema.ts";

const maxBytes = 16 * 1024 * 1024;

export async function loadScript(file: string): Promise<Script> {
  const path = resolve(file);
  switch (extname(path)) {
    case ".json":
    case ".jsonc":
      return parseScript(readJson(path), file);
    case ".ts":
    case ".mts":
    case ".js":
    case ".mjs":
      return parseScript(await importScript(path), file);
    default:
      throw invalid(file, "a script is a .json, .jsonc or .ts file");
  }
}

function readJson(path: string): unknown {
  const content = decodeUtf8(readBytes(path));
  if (content === undefined) throw invalid(path, "it is not UTF-8");
  try {
    return parseJsonc(content);
  } catch (error) {
    throw invalid(path, `it is not JSON: ${messageOf(error)}`);
  }
}

function readBytes(path: string): Uint8Array {
  try {
    return readPlainFile(path, { maxBytes });
  } catch (error) {
    throw invalid(path, messageOf(error));
  }
}

async function importScript(path: string): Promise<unknown> {
  try {
    const module: { readonly default?: unknown; readonly script?: unknown } = await import(pathToFileURL(path).href);
    return module.default ?? module.script;
  } catch (error) {
    throw invalid(path, `it can't be imported: ${messageOf(error)}`);
  }
}

function invalid(path: string, problem: string): AtomicError {
  return new AtomicError("SCRIPT_INVALID", `The script ${path} can't be used: ${problem}.`, { details: { path } });
}
