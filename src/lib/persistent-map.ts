// An immutable map: `set` and `delete` return a new one that shares nearly everything with the old one, in logarithmic
// time. So a view can be kept, compared by reference and changed a hundred thousand times. Keys are strings; iteration
// follows the order in which keys were first set. A hash trie with 32 branches per level.

interface Leaf<V> {
  readonly hash: number;
  readonly key: string;
  readonly value: V;
  readonly order: number;
}

interface Branch<V> {
  /** Which of the 32 slots are taken; `children` holds only those. */
  readonly bitmap: number;
  readonly children: readonly Child<V>[];
}

/** Different keys with one hash. */
interface Collision<V> {
  readonly hash: number;
  readonly leaves: readonly Leaf<V>[];
}

type Child<V> = Leaf<V> | Branch<V> | Collision<V>;

const bitsPerLevel = 5;

export class PersistentMap<V> implements Iterable<readonly [string, V]> {
  readonly size: number;
  #root: Child<V> | undefined;
  readonly #nextOrder: number;
  #sorted: readonly Leaf<V>[] | undefined;
  /** The entries of a lazy map that has not been read yet. */
  #entries: (() => Iterable<readonly [string, V]>) | undefined;

  private constructor(root: Child<V> | undefined, size: number, nextOrder: number) {
    this.#root = root;
    this.size = size;
    this.#nextOrder = nextOrder;
  }

  static empty<V>(): PersistentMap<V> {
    return new PersistentMap<V>(undefined, 0, 0);
  }

  static of<V>(entries: Iterable<readonly [string, V]>): PersistentMap<V> {
    let map = PersistentMap.empty<V>();
    for (const [key, value] of entries) map = map.set(key, value);
    return map;
  }

  /** A map of `size` entries with different keys, which are computed when the map is first read. */
  static lazy<V>(size: number, entries: () => Iterable<readonly [string, V]>): PersistentMap<V> {
    const map = new PersistentMap<V>(undefined, size, size);
    map.#entries = entries;
    return map;
  }

  static is(value: unknown): value is PersistentMap<unknown> {
    return value instanceof PersistentMap;
  }

  get(key: string): V | undefined {
    return find(this.#top, hashOf(key), key)?.value;
  }

  has(key: string): boolean {
    return find(this.#top, hashOf(key), key) !== undefined;
  }

  /** The same map when the key has that value already. */
  set(key: string, value: V): PersistentMap<V> {
    const hash = hashOf(key);
    return this.#with(hash, key, find(this.#top, hash, key), value);
  }

  /** What `set` gives for the value that `make` makes of the old one, which is looked for once. */
  update(key: string, make: (known: V | undefined) => V): PersistentMap<V> {
    const hash = hashOf(key);
    const known = find(this.#top, hash, key);
    return this.#with(hash, key, known, make(known?.value));
  }

  #with(hash: number, key: string, known: Leaf<V> | undefined, value: V): PersistentMap<V> {
    if (known !== undefined && Object.is(known.value, value)) return this;
    const leaf: Leaf<V> = { hash, key, value, order: known?.order ?? this.#nextOrder };
    const root = this.#root === undefined ? leaf : insert(this.#root, leaf, 0);
    if (known !== undefined) return new PersistentMap(root, this.size, this.#nextOrder);
    return new PersistentMap(root, this.size + 1, this.#nextOrder + 1);
  }

  delete(key: string): PersistentMap<V> {
    const hash = hashOf(key);
    if (this.#top === undefined || find(this.#top, hash, key) === undefined) return this;
    return new PersistentMap(removeFrom(this.#top, hash, key, 0), this.size - 1, this.#nextOrder);
  }

  keys(): IterableIterator<string> {
    return this.map((_, key) => key).values();
  }

  values(): IterableIterator<V> {
    return this.map((value) => value).values();
  }

  [Symbol.iterator](): IterableIterator<readonly [string, V]> {
    return this.map((value, key) => [key, value] as const).values();
  }

  /** A list of the results of `make` for each entry. */
  map<T>(make: (value: V, key: string) => T): T[] {
    return this.#leaves().map(({ key, value }) => make(value, key));
  }

  get #top(): Child<V> | undefined {
    if (this.#entries === undefined) return this.#root;
    this.#root = PersistentMap.of(this.#entries()).#root;
    this.#entries = undefined;
    return this.#root;
  }

  #leaves(): readonly Leaf<V>[] {
    if (this.#sorted !== undefined) return this.#sorted;
    const leaves: Leaf<V>[] = [];
    if (this.#top !== undefined) collect(this.#top, leaves);
    return (this.#sorted = inOrder(leaves, this.#nextOrder));
  }
}

function isBranch<V>(node: Child<V>): node is Branch<V> {
  return "bitmap" in node;
}

function isCollision<V>(node: Child<V>): node is Collision<V> {
  return "leaves" in node;
}

function find<V>(root: Child<V> | undefined, hash: number, key: string): Leaf<V> | undefined {
  let node = root;
  for (let shift = 0; node !== undefined && isBranch(node); shift += bitsPerLevel) {
    const bit = bitOf(hash, shift);
    node = (node.bitmap & bit) === 0 ? undefined : node.children[placeOf(node.bitmap, bit)];
  }
  if (node === undefined || node.hash !== hash) return undefined;
  if (isCollision(node)) return node.leaves.find((leaf) => leaf.key === key);
  return node.key === key ? node : undefined;
}

function insert<V>(node: Child<V>, leaf: Leaf<V>, shift: number): Child<V> {
  if (isBranch(node)) {
    const bit = bitOf(leaf.hash, shift);
    const place = placeOf(node.bitmap, bit);
    const child = node.children[place];
    if ((node.bitmap & bit) === 0 || child === undefined)
      return { bitmap: node.bitmap | bit, children: node.children.toSpliced(place, 0, leaf) };
    return { bitmap: node.bitmap, children: node.children.with(place, insert(child, leaf, shift + bitsPerLevel)) };
  }
  if (node.hash === leaf.hash) {
    if (!isCollision(node)) return node.key === leaf.key ? leaf : { hash: leaf.hash, leaves: [node, leaf] };
    return { hash: leaf.hash, leaves: [...node.leaves.filter(({ key }) => key !== leaf.key), leaf] };
  }
  return insert({ bitmap: bitOf(node.hash, shift), children: [node] }, leaf, shift);
}

function removeFrom<V>(node: Child<V>, hash: number, key: string, shift: number): Child<V> | undefined {
  if (isBranch(node)) {
    const bit = bitOf(hash, shift);
    const place = placeOf(node.bitmap, bit);
    const child = node.children[place];
    if (child === undefined) return node;
    const rest = removeFrom(child, hash, key, shift + bitsPerLevel);
    if (rest !== undefined) return { bitmap: node.bitmap, children: node.children.with(place, rest) };
    return node.children.length === 1
      ? undefined
      : { bitmap: node.bitmap & ~bit, children: node.children.toSpliced(place, 1) };
  }
  if (!isCollision(node)) return undefined;
  const leaves = node.leaves.filter((leaf) => leaf.key !== key);
  return leaves.length === 1 ? leaves[0] : { hash: node.hash, leaves };
}

/**
 * Every leaf has a different number below `end`: if few were deleted, placing them by number is faster than sorting.
 */
function inOrder<V>(leaves: Leaf<V>[], end: number): readonly Leaf<V>[] {
  if (leaves.length < 2) return leaves;
  if (end > 4 * leaves.length) return leaves.sort((a, b) => a.order - b.order);
  const places: (Leaf<V> | undefined)[] = Array.from({ length: end });
  for (const leaf of leaves) places[leaf.order] = leaf;
  return places.filter((leaf) => leaf !== undefined);
}

function collect<V>(node: Child<V>, into: Leaf<V>[]): void {
  if (isBranch(node)) for (const child of node.children) collect(child, into);
  else if (isCollision(node)) into.push(...node.leaves);
  else into.push(node);
}

function bitOf(hash: number, shift: number): number {
  return 1 << ((hash >>> shift) & 31);
}

/** How many slots before this one are taken. */
function placeOf(bitmap: number, bit: number): number {
  let below = bitmap & (bit - 1);
  below -= (below >>> 1) & 0x55555555;
  below = (below & 0x33333333) + ((below >>> 2) & 0x33333333);
  return Math.imul((below + (below >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** FNV-1a. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
