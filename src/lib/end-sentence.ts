// Messages of others inside our own: a program's or an author's error may end without a full stop.

/** The text as a sentence of its own, for more to follow. */
export function endSentence(text: string): string {
  const trimmed = text.trimEnd();
  return /[.!?…:]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
