// A script from a file: JSON, JSON with comments, or TypeScript that exports the same object. A `.ts` script is code
// that the person named on the command line; it is imported, like any program they run.

import { readFile, stat } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { parseScript, type Script } from "./script-schema.ts";

const maxBytes = 16 * 1024 * 1024;

export async function loadScript(file: string): Promise<Script> {
  const path = resolve(file);
  switch (extname(path)) {
    case ".json":
    case ".jsonc":
      return parseScript(await readJson(path), file);
    case ".ts":
    case ".mts":
    case ".js":
    case ".mjs":
      return parseScript(await importScript(path), file);
    default:
      throw invalid(file, "a script is a .json, .jsonc or .ts file");
  }
}

async function readJson(path: string): Promise<unknown> {
  const bytes = await readBytes(path);
  let content: string;
  try {
    content = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid(path, "it is not UTF-8");
  }
  try {
    // Programs that use the library under Node read plain JSON.
    return typeof Bun === "undefined" ? JSON.parse(content) : Bun.JSONC.parse(content);
  } catch (error) {
    throw invalid(path, `it is not JSON: ${messageOf(error)}`);
  }
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw invalid(path, `it has ${size} bytes; at most ${maxBytes} are read`);
    return await readFile(path);
  } catch (error) {
    if (AtomicError.is(error)) throw error;
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
