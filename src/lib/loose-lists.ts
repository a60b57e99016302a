// Which JSON values hold lists that are not frozen ("loose"). Objects and short lists inside a value are frozen when it
// is copied; a long list stays loose, and so does a list that is a value by itself. An author's code never gets a value
// that holds loose lists: it gets a view of it (json-view.ts).

/** Up to this length, freezing a list and reading it frozen costs less than checking it each time. */
const shortListLength = 32;

/** Stands for every empty list. */
export const emptyList: readonly never[] = Object.freeze([]);

const holders = new WeakSet<object>();
/** Most programs never have one, and then skip the lookup. */
let hasHolders = false;

export function isShort(list: readonly unknown[]): boolean {
  return list.length <= shortListLength;
}

/** Whether there is a loose list inside `value`. A value that is itself a loose list does not count. */
export function holdsLooseLists(value: object): boolean {
  return hasHolders && holders.has(value);
}

export function noteHolder(value: object): void {
  hasHolders = true;
  holders.add(value);
}

/** For a value that was built from the contents of `part`. */
export function inheritHolder(value: object, part: unknown): void {
  if (hasHolders && typeof part === "object" && part !== null && holders.has(part)) holders.add(value);
}
