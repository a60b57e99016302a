// Pieces of one text that arrived together are reported as one. A host that is late, because it is busy or has many
// sessions, would otherwise pay for each of them all the way to the reader (docs/decisions/037).

import type { PartDelta } from "./parse-event.ts";

export interface JoinedPieces {
  add(piece: PartDelta): void;
  /** Reports what was held back: before any other event, or when nothing more has arrived. */
  flush(): void;
}

export function createJoinedPieces(tell: (piece: PartDelta) => void): JoinedPieces {
  let first: PartDelta | undefined;
  let rest = "";

  function flush(): void {
    if (first === undefined) return;
    const piece = rest === "" ? first : { ...first, text: first.text + rest };
    first = undefined;
    rest = "";
    tell(piece);
  }

  return {
    add(piece) {
      if (first?.partId === piece.partId && first.sessionId === piece.sessionId) {
        rest += piece.text;
      } else {
        flush();
        first = piece;
      }
    },
    flush,
  };
}
