// Foreign messages inside our own: the error of a program or an author may lack its full stop.

/** The text with a full stop, so that another sentence can follow. */
export function endSentence(text: string): string {
  const trimmed = text.trimEnd();
  return /[.!?…:]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
