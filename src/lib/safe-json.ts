// JSON that a user may see on a terminal: standard output, the files of a session, its logs. JSON itself escapes C0 and
// lone surrogates; other characters that could control a terminal, reorder text or break lines invisibly are escaped
// here. Parsing it returns the same value.

const unsafe = /[\u{7f}-\u{9f}\p{Bidi_Control}\u{2028}\u{2029}\u{feff}]/gu;

export function safeJson(value: object | string, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(unsafe, escape);
}

/** One item of a list for `safeJsonWithLists`. */
export function safeJsonItem(value: object | string): string {
  return safeJson(value, 2).replaceAll("\n", "\n    ");
}

/**
 * The text of `safeJson(value, 2)` with these items in lists of `value`, which are empty there: for long lists whose
 * items are kept as texts.
 */
export function safeJsonWithLists(
  value: Readonly<Record<string, unknown>>,
  lists: Readonly<Record<string, readonly string[]>>,
): string {
  let text = safeJson(value, 2);
  for (const [name, items] of Object.entries(lists)) {
    if (items.length === 0) continue;
    // Occurs once: deeper members are indented further, and JSON strings contain no newlines.
    const member = `\n  ${safeJson(name)}: [`;
    const place = text.indexOf(`${member}]`) + member.length;
    text = `${text.slice(0, place)}\n    ${items.join(",\n    ")}\n  ${text.slice(place)}`;
  }
  return text;
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
