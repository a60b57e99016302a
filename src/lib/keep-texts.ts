// Texts of values that never change: each is made once and kept for as long as its value is in use. For files that are
// written again and again, and of which little differs from one time to the next.

export function keepTexts<T extends object>(make: (value: T) => string): (value: T) => string {
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
