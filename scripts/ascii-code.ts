// JavaScript with every other character escaped. Bun reads a file that starts with `// @bun` as Latin-1, so "…" would
// come out as three characters. An escape means the same to every reader, in strings, templates, regular expressions
// and names alike; the two places where it does not are refused rather than changed.

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
