// JSON with comments and trailing commas, on any runtime: Bun has a built-in parser; elsewhere the extras are replaced
// by spaces, so that positions in an error still match the text, and the rest is parsed as JSON.

/** Throws SyntaxError. */
export function parseJsonc(text: string): unknown {
  return typeof Bun === "undefined" ? portableJsonc(text) : Bun.JSONC.parse(text);
}

export function portableJsonc(text: string): unknown {
  return JSON.parse(withoutExtras(text.replace(/^\uFEFF/, " ")));
}

/** A string, a comment, or a comma that only blanks and comments separate from a closing bracket. */
const extras = /"(?:[^"\\]|\\.)*"|\/\/[^\n\r]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n\r]*|\/\*[\s\S]*?\*\/)*[}\]])/g;

function withoutExtras(text: string): string {
  return text.replace(extras, (match) => (match.startsWith('"') ? match : match.replace(/[^\n\r]/g, " ")));
}
