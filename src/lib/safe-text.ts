// Text from agents, files and task names, made safe to print. Owns which characters may not reach a terminal or a log;
// colours and layout belong to the front ends, which add their own sequences after this step.
//
// Invariants: the result holds no ESC, no C0 but tab and newline, no C1, no bidirectional control and no lone
// surrogate, so nothing in it can move the cursor, set a title, open a link or reorder what a user reads.
// Nothing is dropped silently: every neutralised character leaves a visible mark.

/**
 * Controls (C0, DEL, C1), bidirectional controls, lone surrogates, and separators that break lines unseen: everything
 * outside these ranges. Not by Unicode property: Node looks up all of its characters when it parses the file, and that
 * was a tenth of the import of the engine.
 */
const unsafe =
  /[^ -~\u{a0}-\u{61b}\u{61d}-\u{200d}\u{2010}-\u{2027}\u{202f}-\u{2065}\u{206a}-\u{d7ff}\u{e000}-\u{fefe}\u{ff00}-\u{10ffff}]/gu;

/** Several lines: newlines and tabs stay; CRLF becomes a newline. */
export function safeText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(unsafe, mark);
}

/** Printable ASCII with single spaces between words: such a line is safe as it is, and most are. */
const plainLine = /^[!-~]+(?: [!-~]+)*$/;

/** One line of at most `maxLength` characters, for lists, titles and messages. */
export function safeLine(text: string, maxLength = 200): string {
  if (text.length <= maxLength && plainLine.test(text)) return text;
  // Cut first, so that a name of fifty megabytes costs nothing.
  const cut = text.length > maxLength * 4 ? text.slice(0, maxLength * 4) : text;
  const line = safeText(cut).replace(/\s+/g, " ").trim();
  if (line.length <= maxLength) return line;
  const characters = Array.from(line);
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join("")}…` : line;
}

function mark(character: string): string {
  if (character === "\n" || character === "\t") return character;
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x2028 || code === 0x2029) return "\n";
  // The "control pictures" block has one visible sign for each of these.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u{2421}";
  return "\u{fffd}";
}
