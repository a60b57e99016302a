// Inserts what a user typed after a command into its prompt.

/** Replaces `$ARGUMENTS` when nothing was typed. */
export const noArguments = "[no arguments provided]";

/** Every `$ARGUMENTS` is replaced. A prompt without one gets the arguments at its end, so that none are lost. */
export function expandArguments(prompt: string, typed: string): string {
  const text = typed.trim();
  // A function, because in a replacement string `$&` and `$1` have a meaning.
  if (prompt.includes("$ARGUMENTS")) return prompt.replaceAll("$ARGUMENTS", () => text || noArguments);
  return text === "" ? prompt : `${prompt}\n\nArguments: ${text}`;
}
