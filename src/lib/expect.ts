// For values that the surrounding code guarantees but the types can't express. A failure here is a bug in Atomic.

export function expectDefined<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`Atomic has a bug: expected ${what}`);
  return value;
}
