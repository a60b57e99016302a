// Parses JSON from outside: the value, or undefined if the text is not JSON. Any other error is a bug and is thrown.

/** Boxed, because `null` is JSON too. Undefined for text that is not JSON, or nested too deeply to be read. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}
