// Numbers as people read them.

export function times(ratio: number): string {
  return `${digits(ratio)}×`;
}

export function duration(ns: number): string {
  if (ns < 1e3) return `${digits(ns)} ns`;
  if (ns < 1e6) return `${digits(ns / 1e3)} µs`;
  if (ns < 1e9) return `${digits(ns / 1e6)} ms`;
  return `${digits(ns / 1e9)} s`;
}

export function bytes(count: number): string {
  const size = Math.abs(count);
  if (size < 1e3) return `${Math.round(count)} B`;
  if (size < 1e6) return `${digits(count / 1e3)} kB`;
  return `${digits(count / 1e6)} MB`;
}

/** Two or three digits that mean something. */
function digits(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(size >= 10 ? 1 : 2);
}
