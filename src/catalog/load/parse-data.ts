// Data that a workflow imports by path (`import config from "./config.json"`), as the exports of a module.

import { messageOf } from "../../lib/errors.ts";
import { Refusal } from "../diagnostics.ts";
import type { ModuleFormat } from "../modules/read-module.ts";

type DataLoader = Exclude<ModuleFormat, "ts" | "js">;

/** `default` is the value; keys that are identifiers can be imported by name too. The file is trusted, so no limits. */
export function parseData(text: string, loader: DataLoader): object {
  const value = loader === "text" ? text : parse(text, loader);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { default: value };
  const named = Object.entries(value).filter(([key]) => /^[A-Za-z$][\w$]*$/.test(key) && key !== "default");
  return { ...Object.fromEntries(named), default: value };
}

function parse(text: string, loader: Exclude<DataLoader, "text">): unknown {
  const parsers = { json: JSON.parse, jsonc: Bun.JSONC.parse, toml: Bun.TOML.parse, yaml: Bun.YAML.parse } as const;
  try {
    return parsers[loader](text);
  } catch (thrown) {
    throw new Refusal("import", `Not valid ${loader.toUpperCase()}: ${messageOf(thrown)}.`);
  }
}
