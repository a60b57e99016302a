// JSON that a user may see on a terminal: standard output, the files of a session, its logs. JSON itself escapes C0 and
// lone surrogates; the rest that could drive a terminal, reorder what a user reads or break a line unseen is escaped
// here. Parsing it returns the same value.

const unsafe = /[\u{7f}-\u{9f}\p{Bidi_Control}\u{2028}\u{2029}\u{feff}]/gu;

export function safeJson(value: object, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(unsafe, escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
