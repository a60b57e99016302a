// What a user typed after a command, put into its prompt.

/** What a prompt says where nothing was typed. */
export const noArguments = "[no arguments provided]";

/** Every `$ARGUMENTS` is replaced. A prompt without one gets the arguments at its end, so that none are lost. */
export function expandArguments(prompt: string, typed: string): string {
  const text = typed.trim();
  // A function, because a replacement text would give `$&` and `$1` in the arguments a meaning.
  if (prompt.includes("$ARGUMENTS")) return prompt.replaceAll("$ARGUMENTS", () => text || noArguments);
  return text === "" ? prompt : `${prompt}\n\nArguments: ${text}`;
}
