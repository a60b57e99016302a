// Strict UTF-8: bytes that are not text are reported, never replaced.

export interface DecodeOptions {
  /** Keep a byte order mark as part of the text. Default: it is dropped. */
  readonly keepsMark?: boolean;
}

/** Created once: a listing reads a thousand files. */
const droppingMark = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
const keepingMark = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined for bytes that are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array, { keepsMark = false }: DecodeOptions = {}): string | undefined {
  try {
    return (keepsMark ? keepingMark : droppingMark).decode(bytes);
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}
