// The last lines of the terminal, drawn again and again below a log that scrolls. The cursor rests on the first of them:
// whatever else is printed, by a node or a program that it starts, goes over the lines, which are drawn again below it,
// and nothing is lost. The lines don't wrap, also where the terminal has become narrower and we don't know it yet: one row
// more, and the cursor would come to rest on the wrong one. That mode is set and reset in one write, so there is nothing
// to restore when the program is killed.

export interface LiveAreaOptions {
  readonly write: (text: string) => void;
  /** The lines to show; none when there is nothing to show. `turn` counts up while the spinner turns. */
  readonly lines: (turn: number) => readonly string[];
  /** In milliseconds, never set back. */
  readonly now?: (() => number) | undefined;
}

export interface LiveArea {
  /** Draws now, and from now on a few times a second. */
  start(): void;
  /** Prints something above the lines, at once. */
  above(print: () => void): void;
  /** Prints a line of the log above the lines: at once, or with the next drawing where lines come fast. */
  log(line: string): void;
  /** While it is hidden nothing is drawn: the person is typing. */
  hide(): void;
  show(): void;
  /** Removes the lines, for good. */
  close(): void;
}

const spinnerIntervalMs = 160;
/** When the log scrolls fast, its lines are held back for the next redraw: each write costs more than its text. */
const minRedrawIntervalMs = 100;
const clearBelow = "\r\x1b[J";
const wrapOff = "\x1b[?7l";
const wrapOn = "\x1b[?7h";

export function createLiveArea({ write, lines, now = () => performance.now() }: LiveAreaOptions): LiveArea {
  let timer: ReturnType<typeof setInterval> | undefined;
  let soon: ReturnType<typeof setTimeout> | undefined;
  let turn = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  let isHidden = false;
  /** What is logged and not yet written. */
  let pending = "";

  function draw(): void {
    if (isHidden || timer === undefined) return;
    clearTimeout(soon);
    soon = undefined;
    drawnAt = now();
    const shown = lines(turn);
    if (shown.length === 0) return clear();
    const up = shown.length === 1 ? "" : `\x1b[${shown.length - 1}A`;
    // One write, so that no half of it is seen.
    write(`${clearBelow}${pending}${wrapOff}${shown.join("\n")}${wrapOn}${up}\r`);
    pending = "";
    isDrawn = true;
  }

  /** At once, or as soon as the last drawing is long enough ago. */
  function drawSoon(): void {
    const waitMs = drawnAt + minRedrawIntervalMs - now();
    if (waitMs <= 0) return draw();
    soon ??= setTimeout(draw, waitMs);
    soon.unref();
  }

  /** The log stays, the lines go. */
  function clear(): void {
    const text = `${isDrawn ? clearBelow : ""}${pending}`;
    isDrawn = false;
    pending = "";
    if (text !== "") write(text);
  }

  return {
    start() {
      timer ??= setInterval(() => {
        turn++;
        draw();
      }, spinnerIntervalMs);
      timer.unref();
      draw();
    },
    above(print) {
      clear();
      print();
      drawSoon();
    },
    log(line) {
      pending += `${line}\n`;
      if (isHidden || timer === undefined) clear();
      else drawSoon();
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
      clearTimeout(soon);
      timer = undefined;
      clear();
    },
  };
}
