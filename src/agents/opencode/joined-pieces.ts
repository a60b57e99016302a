// Pieces of one text that came together are told as one. A host that is late, because it is busy or has many sessions,
// would else pay for each of them on its whole way to the reader (docs/decisions/037).

import type { PartDelta } from "./parse-event.ts";

export interface JoinedPieces {
  add(piece: PartDelta): void;
  /** Something else is to be told, or nothing more has come: what was held back goes out. */
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
