import { describe, expect, test } from "bun:test";
import { toJson } from "./json.ts";
import { viewOf, viewOfRecord } from "./json-view.ts";

const options = { source: "test", path: "value" };
const long = (length: number): number[] => Array.from({ length }, (_, i) => i);

interface State {
  readonly n: number;
  readonly short: number[];
  readonly long: number[];
  readonly nested: { readonly tags: string[]; readonly rows: number[]; readonly deep: { readonly more: number[] }[] };
  readonly empty: number[];
}

function state(): State {
  const value = {
    n: 1,
    short: [1, 2],
    long: long(1000),
    nested: { tags: ["a"], rows: long(100), deep: [{ more: long(50) }] },
    empty: [],
  };
  return toJson(value, { ...options, isRecord: true }) as object as State;
}

describe("a view of a state", () => {
  test("shows what the state holds, by any way of reading it", () => {
    const original = state();
    const view = viewOfRecord(original as never) as State;

    expect(view).toEqual(original);
    expect({ ...view }).toEqual({ ...original });
    expect(JSON.stringify(view)).toBe(JSON.stringify(original));
    expect(structuredClone(view)).toEqual(structuredClone(original));
    expect(Object.keys(view)).toEqual(Object.keys(original));
  });

  test("returns copies of lists, at any depth, and the same copies each time", () => {
    const original = state();
    const before = JSON.stringify(original);
    const view = viewOfRecord(original as never) as State;

    view.short.push(3);
    view.long.reverse();
    view.nested.rows.length = 0;
    view.nested.deep[0]?.more.fill(0);

    expect(JSON.stringify(original)).toBe(before);
    expect(view.short).toEqual([1, 2, 3]);
    expect(view.long[0]).toBe(999);
    expect(view.nested.rows).toEqual([]);
    expect((viewOfRecord(original as never) as State).short).toEqual([1, 2]);
  });

  test("refuses changes of everything else", () => {
    const view = viewOfRecord(state() as never) as State;

    expect(() => ((view as { n: number }).n = 2)).toThrow(TypeError);
    expect(() => ((view as { long: number[] }).long = [])).toThrow(TypeError);
    expect(() => ((view.nested as { tags: string[] }).tags = [])).toThrow(TypeError);
    expect(() => view.nested.tags.push("b")).toThrow(TypeError);
    expect(() => view.empty.push(1)).toThrow(TypeError);
  });

  test("is the state itself where there is no list to protect", () => {
    const plain = toJson({ n: 1, empty: [], inner: { tags: ["a"] } }, { ...options, isRecord: true });

    expect(viewOfRecord(plain as never)).toBe(plain as never);
  });

  test("copies no long list that is not read", () => {
    let copies = 0;
    const list = Object.assign(long(1000), {
      concat: () => {
        copies++;
        return [];
      },
    });
    const view = viewOfRecord({ list } as never) as { list: number[] };

    expect(copies).toBe(0);
    expect([view.list, view.list]).toEqual([[], []]);
    expect(copies).toBe(1);
  });
});

test("a view of a single value protects its own list too", () => {
  const value = toJson([1, [2], long(40)], options) as [number, number[], number[]];
  const view = viewOf(value);

  view.pop();
  expect(value).toHaveLength(3);
  view[2]?.push(1);
  expect(value[2]).toHaveLength(40);
  expect(() => view[1].push(3)).toThrow(TypeError);
});
