// Changes one value in the text of a JSON file with comments and leaves every other character as it is. The text must
// have been parsed before: this file looks for places, it does not judge.

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Property extends Span {
  readonly key: string;
  readonly value: Node;
}

interface Node extends Span {
  /** Present for an object. */
  readonly properties?: readonly Property[];
}

/** The text with `value` at `path`; objects on the way are made. */
export function setInJsonc(text: string, path: readonly string[], value: string | number): string {
  if (text.trim() === "") return `${JSON.stringify(nested(path, value), null, 2)}\n`;
  let node = readJsonc(text);
  for (const [depth, key] of path.entries()) {
    const property = node.properties?.findLast((each) => each.key === key);
    if (property === undefined) {
      const rest = depth + 1 < path.length ? nested(path.slice(depth + 1), value) : value;
      return insertProperty(text, node, key, rest, depth);
    }
    node = property.value;
  }
  return text.slice(0, node.start) + JSON.stringify(value) + text.slice(node.end);
}

/** The text without the value at `path`, and without objects that would be empty then. */
export function removeFromJsonc(text: string, path: readonly string[]): string {
  let node = readJsonc(text);
  let found: { readonly parent: Node; readonly property: Property } | undefined;
  for (const key of path) {
    const property: Property | undefined = node.properties?.findLast((each) => each.key === key);
    if (property === undefined) return text;
    // The outermost object that holds nothing else goes as a whole.
    if (found === undefined || (node.properties?.length ?? 0) > 1) found = { parent: node, property };
    node = property.value;
  }
  return found === undefined ? text : cutProperty(text, found.parent, found.property);
}

function nested(path: readonly string[], value: string | number): object {
  const inner = path.toReversed().reduce<unknown>((rest, key) => ({ [key]: rest }), value);
  return inner as object;
}

function insertProperty(text: string, object: Node, key: string, value: unknown, depth: number): string {
  const indent = "  ".repeat(depth + 1);
  const written = `${JSON.stringify(key)}: ${JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`)}`;
  const last = object.properties?.at(-1);
  if (last === undefined) {
    const inside = text.slice(object.start + 1, object.end - 1).trimEnd();
    return `${text.slice(0, object.start + 1)}${inside}\n${indent}${written}\n${"  ".repeat(depth)}${text.slice(object.end - 1)}`;
  }
  const after = skipSpace(text, last.value.end);
  const hasComma = text[after] === ",";
  const at = hasComma ? after + 1 : last.value.end;
  return `${text.slice(0, at)}${hasComma ? "" : ","}\n${indent}${written}${hasComma ? "," : ""}${text.slice(at)}`;
}

function cutProperty(text: string, object: Node, property: Property): string {
  const properties = object.properties ?? [];
  const index = properties.indexOf(property);
  const after = skipSpace(text, property.value.end);
  if (text[after] === ",")
    return text.slice(0, startOfLine(text, property.start)) + text.slice(endOfLine(text, after + 1));
  const before = properties[index - 1];
  if (before === undefined) return text.slice(0, startOfLine(text, property.start)) + text.slice(property.value.end);
  const comma = skipSpace(text, before.value.end);
  return (
    text.slice(0, comma) + text.slice(comma + 1, startOfLine(text, property.start)) + text.slice(property.value.end)
  );
}

/** The line's beginning, when nothing but space is before the place. */
function startOfLine(text: string, at: number): number {
  const start = text.lastIndexOf("\n", at - 1);
  return start >= 0 && text.slice(start + 1, at).trim() === "" ? start : at;
}

/** After the rest of the line, when that is nothing but space: the newline itself stays. */
function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end >= 0 && text.slice(at, end).trim() === "" ? end : at;
}

function readJsonc(text: string): Node {
  return readValue(text, skipSpace(text, 0));
}

function readValue(text: string, start: number): Node {
  const sign = text[start];
  if (sign === '"') return { start, end: endOfString(text, start) };
  if (sign === "{") return readObject(text, start);
  if (sign === "[") return { start, end: endOfArray(text, start) };
  let end = start;
  while (end < text.length && /[\w.+-]/.test(text[end] ?? "")) end++;
  return { start, end };
}

function readObject(text: string, start: number): Node {
  const properties: Property[] = [];
  let at = skipSpace(text, start + 1);
  while (at < text.length && text[at] !== "}") {
    if (text[at] === ",") {
      at = skipSpace(text, at + 1);
      continue;
    }
    const keyEnd = endOfString(text, at);
    const value = readValue(text, skipSpace(text, skipSpace(text, keyEnd) + 1));
    properties.push({ start: at, end: value.end, key: JSON.parse(text.slice(at, keyEnd)) as string, value });
    at = skipSpace(text, Math.max(value.end, at + 1));
  }
  return { start, end: at + 1, properties };
}

function endOfArray(text: string, start: number): number {
  let at = skipSpace(text, start + 1);
  while (at < text.length && text[at] !== "]") {
    at = text[at] === "," ? at + 1 : Math.max(readValue(text, at).end, at + 1);
    at = skipSpace(text, at);
  }
  return at + 1;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** Past white space and comments. */
function skipSpace(text: string, start: number): number {
  for (let at = start; ;) {
    const rest = /^(?:\s+|\u{feff}|\/\/[^\n]*|\/\*[\s\S]*?\*\/)/u.exec(text.slice(at, at + 100_000))?.[0];
    if (rest === undefined) return at;
    at += rest.length;
  }
}
