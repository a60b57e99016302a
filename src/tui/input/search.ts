// Fuzzy search, for messages of earlier chats and names in lists: all characters of the query in order, the denser and
// the nearer to a word's beginning the better; of equals, the earlier in the list.

/** Undefined when it does not match; the lower the better. */
function fuzzyScore(query: string, text: string): number | undefined {
  const wanted = query.toLowerCase();
  const where = text.toLowerCase();
  if (wanted === "") return 0;
  const direct = where.indexOf(wanted);
  if (direct !== -1) return direct === 0 || /\W/.test(where.charAt(direct - 1)) ? direct / 1000 : 1 + direct / 1000;
  let at = -1;
  let gaps = 0;
  for (const character of wanted) {
    const next = where.indexOf(character, at + 1);
    if (next === -1) return undefined;
    gaps += at === -1 ? 0 : next - at - 1;
    at = next;
  }
  return 2 + gaps;
}

export function fuzzyFilter<T>(
  query: string,
  items: readonly T[],
  text: (item: T) => string,
  limit: number,
): readonly T[] {
  return items
    .map((item, place) => ({ item, place, score: fuzzyScore(query, text(item)) }))
    .filter((each): each is { item: T; place: number; score: number } => each.score !== undefined)
    .toSorted((a, b) => a.score - b.score || a.place - b.place)
    .slice(0, limit)
    .map(({ item }) => item);
}
