// A fold that can be read at any position: items in order, the view after all of them, and the view after any number of
// them. A view is kept now and then, so that looking back folds a few hundred items at most. Views are immutable and
// share what did not change, which makes keeping them cheap.

const itemsPerView = 256;

export class RunRecording<Item, View> {
  readonly #fold: (view: View, item: Item) => View;
  readonly #items: Item[] = [];
  /** After 0, 256, 512, … items. */
  readonly #kept: View[];
  #view: View;
  #last: { readonly count: number; readonly view: View };

  constructor(empty: View, fold: (view: View, item: Item) => View) {
    this.#fold = fold;
    this.#view = empty;
    this.#kept = [empty];
    this.#last = { count: 0, view: empty };
  }

  get length(): number {
    return this.#items.length;
  }

  /** After all items. */
  get view(): View {
    return this.#view;
  }

  item(index: number): Item | undefined {
    return this.#items[index];
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#view = this.#fold(this.#view, item);
    if (this.#items.length % itemsPerView === 0) this.#kept.push(this.#view);
  }

  /** After this many items. */
  at(count: number): View {
    const wanted = Math.max(0, Math.min(count, this.#items.length));
    if (wanted === this.#items.length) return this.#view;
    const place = Math.floor(wanted / itemsPerView);
    const kept = this.#kept[place] ?? this.#view;
    // One step further than the last look costs one step.
    const isNear = this.#last.count <= wanted && this.#last.count >= place * itemsPerView;
    let { count: from, view } = isNear ? this.#last : { count: place * itemsPerView, view: kept };
    for (; from < wanted; from++) {
      const item = this.#items[from];
      if (item !== undefined) view = this.#fold(view, item);
    }
    this.#last = { count: wanted, view };
    return view;
  }

  /** How many items come before the first one for which this holds. Items are in such an order. */
  countBefore(isAfter: (item: Item) => boolean): number {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const item = this.#items[middle];
      if (item !== undefined && isAfter(item)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
