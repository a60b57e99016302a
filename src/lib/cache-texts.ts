// Caches the texts of immutable values for as long as the values are in use. For files that are rewritten often and
// change little each time.

export function cacheTexts<T extends object>(make: (value: T) => string): (value: T) => string {
  const kept = new WeakMap<T, string>();
  return (value) => {
    let text = kept.get(value);
    if (text === undefined) {
      text = make(value);
      kept.set(value, text);
    }
    return text;
  };
}
