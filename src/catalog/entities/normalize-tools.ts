// Converts the tool lists of providers (a list, an object of switches, one line with rules) to a list of names.

import { Refusal } from "../diagnostics.ts";
import { isPlainObject, type Plain } from "../plain-data.ts";

/**
 * Lower-case names without rules, in the order written, each once. Undefined means "no restriction".
 * A value that can't be understood is refused: reading it as "no restriction" would widen what the file allows.
 */
export function normalizeTools(tools: Plain): readonly string[] | undefined {
  if (tools === null) return undefined;
  const names = listOf(tools).map(toolName);
  if (names.includes("*")) return undefined;
  return [...new Set(names)].filter((name) => name !== "");
}

/**
 * The rules in brackets after the names: `{ bash: ["git add:*"] }`. Undefined when there are none. A tool that is also
 * named without a rule is not limited.
 */
export function toolRulesOf(tools: Plain): Readonly<Record<string, readonly string[]>> | undefined {
  const rules = new Map<string, readonly string[]>();
  const unlimited = new Set<string>();
  for (const tool of tools === null ? [] : listOf(tools)) {
    const name = toolName(tool);
    const written =
      /\((.*)\)\s*$/s
        .exec(tool)?.[1]
        ?.split(",")
        .map((rule) => rule.trim()) ?? [];
    const own = written.filter((rule) => rule !== "");
    if (own.length === 0 || own.includes("*")) unlimited.add(name);
    else rules.set(name, [...(rules.get(name) ?? []), ...own]);
  }
  const limited = [...rules].filter(([name]) => !unlimited.has(name));
  return limited.length === 0 ? undefined : Object.fromEntries(limited);
}

function listOf(tools: Plain): readonly string[] {
  if (typeof tools === "string") return splitOutsideBrackets(tools);
  if (isPlainObject(tools)) return Object.keys(tools).filter((name) => isSwitchedOn(name, tools[name]));
  if (Array.isArray(tools)) {
    return tools.map((tool: Plain) => {
      if (typeof tool === "string") return tool;
      throw wrong(tool);
    });
  }
  throw wrong(tools);
}

function isSwitchedOn(name: string, value: Plain | undefined): boolean {
  if (typeof value === "boolean") return value;
  throw new Refusal("field-type", `"tools": "${name}" must be true or false, not ${JSON.stringify(value)}.`);
}

function wrong(value: Plain): Refusal {
  const message = `"tools" must be a list of names, one line of names, or names with true or false; it holds ${JSON.stringify(value).slice(0, 60)}.`;
  return new Refusal("field-type", message);
}

/** `Bash(git add:*, git commit:*), Edit` has two parts. Without commas, spaces separate, as in `Read Grep`. */
function splitOutsideBrackets(line: string): readonly string[] {
  if (!line.includes("(")) return line.split(/[, \n]/);
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < line.length; i++) {
    const character = line[i];
    if (character === "(") depth++;
    else if (character === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0 && (character === "," || character === " " || character === "\n")) {
      parts.push(line.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(line.slice(start));
  return parts;
}

function toolName(tool: string): string {
  const name = tool.replace(/\(.*$/s, "").trim();
  // The names of MCP tools are case-sensitive: the server chooses them.
  return name.startsWith("mcp__") ? name : name.toLowerCase();
}
