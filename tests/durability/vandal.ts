// Changes everything it is given in place, as deep as it can, as careless code of an author may do. Values that can't
// be changed are skipped.

/** Changes `value` and all that can be reached from it. */
export function vandalize(value: unknown): void {
  const seen = new Set<object>();
  const visit = (at: unknown): void => {
    if (typeof at !== "object" || at === null || seen.has(at)) return;
    seen.add(at);
    for (const key of Object.keys(at)) visit((at as Record<string, unknown>)[key]);
    if (Array.isArray(at)) vandalizeList(at);
    else if (at instanceof Map) vandalizeMap(at as Map<unknown, unknown>, visit);
    else vandalizeRecord(at as Record<string, unknown>);
  };
  visit(value);
}

function vandalizeList(list: unknown[]): void {
  attempt(() => list.reverse());
  attempt(() => (list[0] = "vandal"));
  attempt(() => list.push("vandal"));
  attempt(() => list.splice(1, 1));
}

function vandalizeRecord(record: Record<string, unknown>): void {
  for (const key of Object.keys(record)) attempt(() => (record[key] = "vandal"));
  attempt(() => (record["vandal"] = true));
  for (const key of Object.keys(record).slice(1)) attempt(() => delete record[key]);
}

function vandalizeMap(map: Map<unknown, unknown>, visit: (at: unknown) => void): void {
  for (const item of map.values()) visit(item);
  map.clear();
}

/** Sets each property of an object that is shared by all nodes to something useless. */
export function overwrite(shared: object): void {
  for (const key in shared) attempt(() => ((shared as Record<string, unknown>)[key] = undefined));
}

function attempt(change: () => unknown): void {
  try {
    change();
  } catch (error) {
    // What is frozen throws a TypeError: that is the point.
    if (!(error instanceof TypeError)) throw error;
  }
}
