import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { emptyDelta, StateFold } from "./fold.ts";
import { annotation, Reducers } from "./state.ts";

const fold = new StateFold({
  items: annotation<number[]>([], Reducers.concat),
  total: annotation<number>(0, Reducers.sum),
});
const start = fold.initial({}, "run-1", 0);

describe("StateFold", () => {
  test("appends the lists of more branches than one call can have arguments", () => {
    const deltas = Array.from({ length: 200_000 }, (_, branch) => {
      const delta = emptyDelta();
      fold.collect(delta, { items: [branch] }, 1, "node");
      return delta;
    });

    const { items } = fold.applyAll(start, deltas) as { items: number[] };

    expect(items).toHaveLength(200_000);
    expect([items[0], items[199_999]]).toEqual([0, 199_999]);
  });

  test("gives branches joined at once the state of updates folded one by one", () => {
    const updates = [{ items: [1, 2] }, { items: [] }, { items: [3], total: 4 }, { items: [4] }];
    const deltas = updates.map((update) => {
      const delta = emptyDelta();
      fold.collect(delta, update, 5, "node");
      return delta;
    });

    const oneByOne = updates.reduce((state, update) => fold.apply(state, update, 5), start);

    expect(fold.applyAll(start, deltas)).toEqual(oneByOne);
  });

  test("gives the same whatever the reducers, an author's own included", () => {
    const every = new StateFold({
      appended: annotation<number[]>([], (current, update) => [...current, ...update]),
      spread: annotation<Record<string, number>>({}, (current, update) => ({ ...current, ...update })),
      newest: annotation<number[]>([], (current, update) => [...update, ...current].slice(0, 3)),
      doubled: annotation<number>(1, (current, update) => current * 2 + update),
      items: annotation<number[]>([], Reducers.concat),
      tasks: annotation<{ id: string }[]>([], Reducers.mergeById),
      most: annotation<number>(0, Reducers.max),
      any: annotation<boolean>(false, Reducers.or),
      named: annotation<Record<string, unknown>>({}, Reducers.merge),
      last: annotation<number>(0),
    });
    const update = fc.record(
      {
        appended: fc.array(fc.nat(9), { maxLength: 3 }),
        spread: fc.dictionary(fc.constantFrom("x", "y", "z"), fc.nat(9)),
        newest: fc.array(fc.nat(9), { maxLength: 3 }),
        doubled: fc.nat(9),
        items: fc.array(fc.nat(9), { maxLength: 3 }),
        tasks: fc.array(fc.record({ id: fc.constantFrom("a", "b", "c"), done: fc.boolean() }), { maxLength: 3 }),
        most: fc.nat(9),
        any: fc.boolean(),
        named: fc.dictionary(fc.constantFrom("x", "y", "z"), fc.nat(9)),
        last: fc.nat(9),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.array(update, { maxLength: 8 }),
        fc.nat(8),
        fc.integer({ min: 1, max: 3 }),
        (updates, before, each) => {
          const first = every.initial({}, "run-1", 0);
          const apply = (state: typeof first, change: (typeof updates)[number]) => every.apply(state, change, 5);
          const oneByOne = updates.reduce(apply, first);
          const base = updates.slice(0, before).reduce(apply, first);
          const changes = updates.slice(before);
          const branches = changes.flatMap((_, at) => (at % each === 0 ? [changes.slice(at, at + each)] : []));
          const deltas = branches.map((branch) => {
            const delta = emptyDelta();
            for (const change of branch) every.collect(delta, change, 5, "node", every.isSimple(change, base));
            return delta;
          });
          const around = emptyDelta();
          every.absorb(around, deltas);

          expect(every.applyAll(base, deltas)).toEqual(oneByOne);
          expect(every.applyAll(base, [around])).toEqual(oneByOne);
        },
      ),
    );
  });

  test("names the position in the whole list of an invalid item that an author's reducer added", () => {
    const own = new StateFold({
      log: annotation<unknown[]>([], (current, update) => [...current, ...update, () => 1]),
    });
    const state = { ...own.initial({}, "run-1", 0), log: [1, 2] };

    expect(() => own.apply(state, { log: [3] }, 0)).toThrow('the reducer of state key "log": log[3]: a function');
  });

  test("freezes what an author's reducer replaces an item with", () => {
    const own = new StateFold({
      tasks: annotation<{ id: number; done: boolean }[]>([], (current, [update]) =>
        current.map((task) => (task.id === update?.id ? { ...task, ...update } : task)),
      ),
    });
    const start = own.initial({ tasks: [1, 2, 3].map((id) => ({ id, done: false })) }, "run-1", 0);

    const { tasks } = own.apply(start, { tasks: [{ id: 2, done: true }] }, 0) as { tasks: { done: boolean }[] };

    expect(tasks.map(({ done }) => done)).toEqual([false, true, false]);
    expect(tasks.every((task) => Object.isFrozen(task))).toBe(true);
  });

  test("stores a reducer's minus zero as it will be read back, and refuses what is not a number", () => {
    const reduced = (result: number): unknown =>
      new StateFold({ value: annotation<number>(1, () => result) }).apply(start, { value: 1 }, 0)["value"];

    expect(Object.is(reduced(-0), 0)).toBe(true);
    expect(reduced(-1.5)).toBe(-1.5);
    expect(() => reduced(Number.NaN)).toThrow('the reducer of state key "value"');
    expect(() => reduced(Number.POSITIVE_INFINITY)).toThrow('the reducer of state key "value"');
  });
});
