// A terminal in memory: what a person sees after these bytes. It knows only what the command line may use: text, ends
// of lines, the bell, cursor up, clear below, wrapping on and off, and colours. Every other sequence is an error, so a
// test that renders a run also checks that nothing else reaches the terminal.

const segmenter = new Intl.Segmenter();
const escape = "\u001b";
const openSequence = new RegExp(`${escape}(?:\\[[?\\d;]*)?$`);
const pieces = new RegExp(`${escape}\\[[?\\d;]*[A-Za-z]|${escape}[^[]?|[^${escape}]+`, "g");
const sequenceParts = /^\[([?\d;]*)([A-Za-z])$/;

interface Row {
  readonly cells: string[];
  /** The text continues in the next row because there was no room. */
  isWrapped: boolean;
}

export class TerminalScreen {
  readonly columns: number;
  readonly rows: number;
  readonly #all: Row[] = [{ cells: [], isWrapped: false }];
  #x = 0;
  #y = 0;
  #rest = "";
  #isWrapping = true;
  /** Codes of colours that are on. */
  readonly #colours = new Set<string>();

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  /** Pieces may end anywhere. */
  feed(text: string): void {
    const all = this.#rest + text;
    const open = openSequence.exec(all);
    this.#rest = open?.[0] ?? "";
    const whole = open === null ? all : all.slice(0, open.index);
    for (const [piece] of whole.matchAll(pieces))
      if (piece.startsWith(escape)) this.#control(piece);
      else this.#print(piece);
  }

  /** What is on the screen, from the top; rows as they are, without trailing spaces. */
  visible(): readonly string[] {
    return this.#all.slice(this.#top()).map(textOf);
  }

  /** Everything since the start, scrolled away or not; text that was wrapped is one line again. */
  lines(): readonly string[] {
    const lines: string[] = [];
    let line = "";
    for (const row of this.#all) {
      line += row.isWrapped ? row.cells.join("") : textOf(row);
      if (row.isWrapped) continue;
      lines.push(line);
      line = "";
    }
    return lines;
  }

  text(): string {
    return this.lines().join("\n");
  }

  /** False when a colour was left on, or wrapping off. */
  isPlain(): boolean {
    return this.#colours.size === 0 && this.#isWrapping;
  }

  /** False in the middle of a frame of live lines, or of a sequence. */
  isWhole(): boolean {
    return this.#isWrapping && this.#rest === "";
  }

  #top(): number {
    return Math.max(0, this.#all.length - this.rows);
  }

  #control(sequence: string): void {
    const [, parameters = "", kind] = sequenceParts.exec(sequence.slice(1)) ?? [];
    if (kind === "A") this.#y = Math.max(this.#top(), this.#y - Number(parameters === "" ? 1 : parameters));
    else if (kind === "J" && (parameters === "" || parameters === "0")) this.#clearBelow();
    else if (kind === "m") this.#paint(parameters);
    else if (parameters === "?7" && (kind === "l" || kind === "h")) this.#isWrapping = kind === "h";
    else throw new Error(`the terminal got ${JSON.stringify(sequence)}`);
  }

  #clearBelow(): void {
    this.#all.length = this.#y + 1;
    this.#row().cells.length = Math.min(this.#row().cells.length, this.#x);
    this.#row().isWrapped = false;
  }

  #paint(parameters: string): void {
    if (parameters === "" || parameters === "0") return this.#colours.clear();
    if (parameters === "22") for (const each of ["1", "2"]) this.#colours.delete(each);
    else if (parameters === "39") this.#colours.delete("foreground");
    else this.#colours.add(/^3[0-7]$/.test(parameters) ? "foreground" : parameters);
  }

  #print(text: string): void {
    for (const { segment } of segmenter.segment(text)) {
      // The two are one grapheme.
      if (segment === "\r\n") this.#newLine();
      else if (segment === "\n") this.#down();
      else if (segment === "\r") this.#x = 0;
      else if (segment >= " " && segment !== "\x7f") this.#put(segment);
      else if (segment !== "\x07" && segment !== "\b") throw new Error(`the terminal got ${JSON.stringify(segment)}`);
    }
  }

  #put(segment: string): void {
    const width = Bun.stringWidth(segment);
    if (this.#x + width > this.columns && !this.#isWrapping) this.#x = this.columns - width;
    else if (this.#x + width > this.columns) {
      this.#row().isWrapped = true;
      this.#newLine();
    }
    const { cells } = this.#row();
    while (cells.length < this.#x) cells.push(" ");
    cells[this.#x] = segment;
    // The second half of a wide character.
    if (width === 2) cells[this.#x + 1] = "";
    this.#x += width;
  }

  #newLine(): void {
    this.#x = 0;
    this.#down();
  }

  #down(): void {
    this.#y++;
    if (this.#y === this.#all.length) this.#all.push({ cells: [], isWrapped: false });
  }

  #row(): Row {
    const row = this.#all[this.#y];
    if (row === undefined) throw new Error("the cursor is outside of the screen");
    return row;
  }
}

/** Sequences that set colours; text that only looks like them is not matched. */
export function hasColours(bytes: string): boolean {
  return bytes.split(`${escape}[`).some((piece, i) => i > 0 && /^[\d;]*m/.test(piece));
}

function textOf({ cells }: Row): string {
  return cells.join("").trimEnd();
}
