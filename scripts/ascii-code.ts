// JavaScript with all non-ASCII characters escaped. Bun reads a file that starts with `// @bun` as Latin-1, so "…"
// would become three characters. An escape has the same meaning in strings, templates, regular expressions and names;
// the two places where it does not are refused.

const beyondAscii = /[^\0-\x7f]/;

export function asciiCode(code: string, file: string): string {
  if (!beyondAscii.test(code)) return code;
  const changed =
    // A tag that reads the raw text would see the escape itself.
    /\bString\.raw`[^`]*[^\0-\x7f][^`]*`/.exec(code)?.[0] ??
    // The escape's own backslash would be escaped.
    /(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.exec(code)?.[0];
  if (changed !== undefined)
    throw new Error(`${file} holds ${JSON.stringify(changed)}, which can't be written in ASCII.`);
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
