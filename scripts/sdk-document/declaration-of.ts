// The declaration of a name, as text, from the declaration files that the compiler emits.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** `folder` holds the declarations of src/; `file` is a source file below src/. */
export function declarationOf(folder: string, file: string, name: string): string {
  const path = join(folder, file.replace(/\.ts$/, ".d.ts"));
  const text = readFileSync(path, "utf8");
  const starts = [...text.matchAll(new RegExp(`^export (?:declare )?(?:abstract )?(\\w+) ${name}\\b`, "gm"))];
  if (starts.length === 0) {
    const [, from] =
      new RegExp(`^export (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from "(\\.[^"]+)\\.[jt]s";$`, "m").exec(text) ?? [];
    if (from === undefined) throw new Error(`${file} does not declare "${name}".`);
    return declarationOf("", resolve(path, "..", `${from}.ts`), name);
  }
  return starts
    .map(({ index, 1: kind = "" }) => text.slice(commentBefore(text, index), endOf(text, index, kind)))
    .join("\n")
    .replace(/^ +#private;\n/gm, "")
    .replaceAll(/^export (?:declare )?/gm, "");
}

/** Where the comment of the declaration at `index` starts. */
function commentBefore(text: string, index: number): number {
  const before = text.slice(0, index);
  return before.endsWith("*/\n") ? before.lastIndexOf("/**") : index;
}

/** A class or an interface ends with its brace, everything else with a semicolon. */
function endOf(text: string, start: number, kind: string): number {
  const hasBody = kind === "class" || kind === "interface";
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text.startsWith("/*", i)) i = text.indexOf("*/", i) + 1;
    else if (text.startsWith("//", i)) i = text.indexOf("\n", i);
    else if (`"'\``.includes(text.charAt(i))) i = text.indexOf(text.charAt(i), i + 1);
    else if ("([{".includes(text.charAt(i))) depth++;
    else if (")]}".includes(text.charAt(i))) {
      depth--;
      if (depth === 0 && hasBody && text.charAt(i) === "}") return i + 1;
    } else if (text.charAt(i) === ";" && depth === 0) return i + 1;
  }
  return text.length;
}
