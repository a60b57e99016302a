// What is typed before the screen listens: a person who starts the program and types on loses nothing. Characters are
// held back from the renderer, which would drop them, and given to it again when there is a listener. So are keys that a
// terminal sends as sequences. Its answers to the renderer's questions pass.

export interface TypeAhead {
  /** As the renderer takes it: true means that the sequence is held. */
  readonly handler: (sequence: string) => boolean;
  /** From now on nothing is held. */
  release(stdin: NodeJS.EventEmitter): void;
}

/** Arrows, Home, End, function keys, Shift+Tab; nothing that could be an answer. */
const keyAfterEscape = /^(?:O[A-DFHP-S]|\[[A-DFHZ]|\[\d+~|\[1;\d[A-DFH])$/;

export function createTypeAhead(): TypeAhead {
  let held: string[] | undefined = [];
  return {
    handler(sequence) {
      if (held === undefined || (sequence.startsWith("\x1b") && !keyAfterEscape.test(sequence.slice(1)))) return false;
      // Before the terminal is in raw mode, it makes a line feed of Enter.
      held.push(sequence === "\n" ? "\r" : sequence);
      return true;
    },
    release(stdin) {
      const typed = held?.join("") ?? "";
      held = undefined;
      if (typed !== "") stdin.emit("data", Buffer.from(typed));
    },
  };
}
