// Text in lines of a given width, broken between words.

const minWidth = 40;

/** Lines of at most `width` characters. Text for a column narrower than `minWidth` is not wrapped. */
export function wrapWords(text: string, width: number): readonly string[] {
  if (width < minWidth) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length <= width || line === "") line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
