// Which JSON values hold lists that are not frozen ("loose"). Objects and short lists inside a value are frozen when it
// is copied; a long list stays loose, and so does a list that is a value by itself. A value that holds loose lists is
// never handed to an author's code as it is: json-view.ts makes a view of it.

/** Freezing and reading frozen lists up to this length costs less than looking at them each time. */
const shortListLength = 32;

/** Stands for every empty list. */
export const emptyList: readonly never[] = Object.freeze([]);

const holders = new WeakSet<object>();
/** Most programs never have one, and then nothing has to be looked up. */
let hasHolders = false;

export function isShort(list: readonly unknown[]): boolean {
  return list.length <= shortListLength;
}

/** Is there a loose list somewhere inside `value`? A list that is loose itself does not count. */
export function holdsLooseLists(value: object): boolean {
  return hasHolders && holders.has(value);
}

export function noteHolder(value: object): void {
  hasHolders = true;
  holders.add(value);
}

/** For a value that was made of what `part` holds. */
export function inheritHolder(value: object, part: unknown): void {
  if (hasHolders && typeof part === "object" && part !== null && holders.has(part)) holders.add(value);
}
