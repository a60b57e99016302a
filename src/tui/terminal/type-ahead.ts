// Text that is typed before the screen listens: a user who starts the program and keeps typing loses nothing.
// Characters are held back from the renderer, which would drop them, and given to it again when there is a listener. So
// are keys that a terminal sends as sequences, and pastes. Its answers to the renderer's questions pass.

export interface TypeAhead {
  /** As the renderer takes it: true means that the sequence is held. */
  readonly handler: (sequence: string) => boolean;
  /** For the renderer's pastes, which no handler sees. */
  readonly takePaste: (paste: { readonly bytes: Uint8Array }) => void;
  /** From now on nothing is held. */
  release(stdin: NodeJS.EventEmitter): void;
}

/** Arrows, Home, End, function keys, Shift+Tab, Alt with a key, kitty keys; nothing that could be an answer. */
const keyAfterEscape = /^(?:[^[\]OPX^_]|O[A-DFHP-S]|\[[A-DFHZ]|\[\d+~|\[1;\d[A-DFH]|\[\d[\d:;]*u)$/;

const pasteStart = Buffer.from("\x1b[200~");
const pasteEnd = Buffer.from("\x1b[201~");

export function createTypeAhead(): TypeAhead {
  let held: Uint8Array[] | undefined = [];
  return {
    handler(sequence) {
      if (held === undefined || (sequence.startsWith("\x1b") && !keyAfterEscape.test(sequence.slice(1)))) return false;
      // Before the terminal is in raw mode, it makes a line feed of Enter.
      held.push(Buffer.from(sequence === "\n" ? "\r" : sequence));
      return true;
    },
    takePaste({ bytes }) {
      held?.push(pasteStart, bytes, pasteEnd);
    },
    release(stdin) {
      const typed = Buffer.concat(held ?? []);
      held = undefined;
      if (typed.length > 0) stdin.emit("data", typed);
    },
  };
}
