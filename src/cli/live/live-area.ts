// The last lines of the terminal, drawn again and again below a log that scrolls. The cursor rests on the first of them:
// whatever else is printed, by a node or a program that it starts, goes over the lines, which are drawn again below it,
// and nothing is lost. No terminal mode is changed, so there is nothing to restore when the program is killed.

export interface LiveAreaOptions {
  readonly write: (text: string) => void;
  /** The lines to show; none when there is nothing to show. `turn` counts the drawings. */
  readonly lines: (turn: number) => readonly string[];
}

export interface LiveArea {
  /** Draws now, and from now on several times a second. */
  start(): void;
  /** Prints something above the lines. */
  above(print: () => void): void;
  /** While it is hidden nothing is drawn: the person is typing. */
  hide(): void;
  show(): void;
  /** Removes the lines, for good. */
  close(): void;
}

const everyMs = 120;
const clearBelow = "\r\x1b[J";

export function createLiveArea({ write, lines }: LiveAreaOptions): LiveArea {
  let timer: ReturnType<typeof setInterval> | undefined;
  let turn = 0;
  let isDrawn = false;
  let isHidden = false;

  function draw(): void {
    if (isHidden || timer === undefined) return;
    const shown = lines(turn++);
    if (shown.length === 0) return clear();
    const up = shown.length === 1 ? "" : `\x1b[${shown.length - 1}A`;
    // One write, so that no half of it is seen.
    write(`${clearBelow}${shown.join("\n")}${up}\r`);
    isDrawn = true;
  }

  function clear(): void {
    if (isDrawn) write(clearBelow);
    isDrawn = false;
  }

  return {
    start() {
      timer ??= setInterval(draw, everyMs);
      timer.unref();
      draw();
    },
    above(print) {
      clear();
      print();
      draw();
    },
    hide() {
      clear();
      isHidden = true;
    },
    show() {
      isHidden = false;
      draw();
    },
    close() {
      clearInterval(timer);
      timer = undefined;
      clear();
    },
  };
}
