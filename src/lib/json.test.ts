import { describe, expect, test } from "bun:test";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { AtomicError } from "./errors.ts";
import type { Json } from "./json.ts";
import { holdsLooseLists } from "./loose-lists.ts";
import type { ToJsonOptions } from "./json.ts";
import { adoptParsed, toJson } from "./json.ts";

const options: ToJsonOptions = { source: 'node "plan"', path: "stateUpdate" };

function refusal(value: unknown): { path: string; problem: string; message: string } {
  try {
    toJson(value, options);
  } catch (thrown) {
    if (!AtomicError.is(thrown, "NOT_JSON")) throw thrown;
    return { ...(thrown.details as { path: string; problem: string }), message: thrown.message };
  }
  throw new Error("it was not refused");
}

class Money {
  amount = 1;
}

describe("toJson refuses what would not survive a round trip, with its path", () => {
  const cyclic: { list: unknown[] } = { list: [] };
  cyclic.list.push({ back: cyclic });
  const sparse: number[] = [];
  sparse[0] = 0;
  sparse[2] = 2;

  const refused: readonly [what: string, value: unknown, path: string, problem: string][] = [
    ["a function", { f: () => 1 }, "stateUpdate.f", "a function is not JSON"],
    ["a method", { f() {} }, "stateUpdate.f", "a function is not JSON"],
    ["a class", { Money }, "stateUpdate.Money", "a function is not JSON"],
    ["a BigInt", { n: 10n }, "stateUpdate.n", "a BigInt is not JSON"],
    ["NaN", { n: Number.NaN }, "stateUpdate.n", "NaN is not a JSON number"],
    ["Infinity", { n: Number.POSITIVE_INFINITY }, "stateUpdate.n", "Infinity is not a JSON number"],
    ["-Infinity", { n: [1, Number.NEGATIVE_INFINITY] }, "stateUpdate.n[1]", "-Infinity is not a JSON number"],
    ["a symbol", { s: Symbol("s") }, "stateUpdate.s", "a symbol is not JSON"],
    ["a Date", { at: new Date(0) }, "stateUpdate.at", "a Date (store value.toISOString())"],
    ["a Map", { m: new Map([["a", 1]]) }, "stateUpdate.m", "a Map (store Object.fromEntries(map))"],
    ["a Set", { s: new Set([1]) }, "stateUpdate.s", "a Set (store [...set])"],
    ["an Error", { e: new Error("no") }, "stateUpdate.e", "an Error (store its message)"],
    ["a Promise", { p: Promise.resolve(1) }, "stateUpdate.p", "a Promise (an await is missing)"],
    ["an instance of a class", { price: new Money() }, "stateUpdate.price", "an instance of Money is not plain JSON"],
    ["a regular expression", { r: /a/ }, "stateUpdate.r", "an instance of RegExp is not plain JSON"],
    ["bytes", { b: new Uint8Array(2) }, "stateUpdate.b", "an instance of Uint8Array is not plain JSON"],
    ["a boxed number", { n: Object(1) as unknown }, "stateUpdate.n", "an instance of Number is not plain JSON"],
    [
      "an object with a prototype of its own",
      { o: Object.create({ inherited: 1 }) as unknown },
      "stateUpdate.o",
      "is not plain JSON",
    ],
    ["undefined in a list", { list: [1, undefined] }, "stateUpdate.list[1]", "undefined is not a JSON value here"],
    ["a hole in a list", { list: sparse }, "stateUpdate.list[1]", "undefined is not a JSON value here"],
    ["undefined itself", undefined, "stateUpdate", "undefined is not a JSON value here"],
    ["a cycle", cyclic, "", "the value contains itself (a cycle)"],
    [
      "a key that reaches a prototype",
      JSON.parse('{"a":{"__proto__":{"isAdmin":true}}}') as unknown,
      "stateUpdate.a.__proto__",
      'the key "__proto__" is not allowed',
    ],
    [
      "the key constructor",
      { constructor: { prototype: 1 } },
      "stateUpdate.constructor",
      'the key "constructor" is not allowed',
    ],
    [
      "the key prototype",
      { list: [{ prototype: 1 }] },
      "stateUpdate.list[0].prototype",
      'the key "prototype" is not allowed',
    ],
    ["what toJSON would hide", { o: { toJSON: () => 1 } }, "stateUpdate.o.toJSON", "a function is not JSON"],
    ["a key that needs quotes", { "a b": { "1x": () => 1 } }, 'stateUpdate["a b"]["1x"]', "a function is not JSON"],
    [
      "something deep inside",
      { a: [{ b: { c: [0, 0, { d: 1n }] } }] },
      "stateUpdate.a[0].b.c[2].d",
      "a BigInt is not JSON",
    ],
  ];

  for (const [what, value, path, problem] of refused) {
    test(what, () => {
      const found = refusal(value);

      if (path !== "") expect(found.path).toBe(path);
      expect(found.problem).toContain(problem);
      expect(found.message).toStartWith('node "plan": stateUpdate');
    });
  }

  test("nesting that would exhaust a stack", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = i % 2 === 0 ? { a: deep } : [deep];

    expect(refusal(deep).problem).toBe("nested deeper than 500 levels");
    expect(refusal(deep).path.length).toBeLessThan(200);
  });

  test("deep nesting of shared values, walking each of them once", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 700; i++) deep = [deep, deep];

    expect(refusal(deep).problem).toBe("nested deeper than 500 levels");
  });

  test("a cycle among thousands of siblings, without taking forever", () => {
    const nodes: { next: unknown[] }[] = Array.from({ length: 200 }, () => ({ next: [] }));
    for (const node of nodes) node.next.push(...nodes);

    expect(refusal({ nodes }).problem).toContain("a cycle");
  });
});

describe("toJson takes", () => {
  test("every kind of JSON as it is", () => {
    const value = {
      null: null,
      yes: true,
      no: false,
      zero: 0,
      negative: -1.5,
      text: "ä\u0000\uD800",
      list: [[], {}],
      "": 1,
    };

    expect(toJson(value, options)).toEqual(value);
  });

  test("objects without a prototype, and objects of another realm, as plain ones", () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    const foreign: unknown = runInNewContext("({ a: [1, { b: 2 }] })");

    expect(toJson(bare, options)).toEqual({ a: 1 });
    expect(toJson(foreign, options)).toEqual({ a: [1, { b: 2 }] });
  });

  test("the same object in two places, as two", () => {
    const shared = { a: 1 };

    expect(toJson([shared, shared], options)).toEqual([{ a: 1 }, { a: 1 }]);
  });

  test("500 levels, and lists and objects of any width", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 500; i++) deep = [deep];
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]));

    expect(toJson(deep, options)).toEqual(deep as never);
    expect(toJson(wide, options)).toEqual(wide);
  });

  test("what JSON itself makes of the value, and minus zero as zero", () => {
    const value = { gone: undefined, kept: null, list: [{ gone: undefined }], minusZero: -0 };

    const admitted = toJson(value, options);

    expect(admitted).toEqual({ kept: null, list: [{}], minusZero: 0 });
    expect(Object.keys(admitted as object)).toEqual(["kept", "list", "minusZero"]);
    expect(Object.is((admitted as { minusZero: number }).minusZero, 0)).toBe(true);
    expect(JSON.parse(JSON.stringify(admitted))).toEqual(admitted);
  });
});

describe("what toJson returns", () => {
  test("is a copy: later changes of the original do not reach it", () => {
    const original = { list: [1], inner: { a: 1 } };
    const admitted = toJson(original, options);
    original.list.push(2);
    original.inner.a = 2;

    expect(admitted).toEqual({ list: [1], inner: { a: 1 } });
  });

  test("has frozen objects and short lists inside; its own lists and long ones when asked", () => {
    const value = { list: [{ a: 1 }], inner: { short: [1], long: Array.from({ length: 33 }, () => 0) } };
    const isFrozen = (more: object): boolean[] => {
      const { list, inner } = toJson(value, { ...options, ...more }) as object as typeof value;
      return [list, list[0], inner, inner.short, inner.long].map((part) => Object.isFrozen(part));
    };

    expect(isFrozen({})).toEqual([true, true, true, true, false]);
    expect(isFrozen({ isRecord: true })).toEqual([false, true, true, true, false]);
    expect(isFrozen({ isRecord: true, freezeArrays: true })).toEqual([true, true, true, true, true]);
  });

  test("pollutes no prototype", () => {
    expect(() => toJson(JSON.parse('{"__proto__":{"polluted":1}}'), options)).toThrow();
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("has every string redacted, at any depth, and keys as they are", () => {
    const redact = (text: string): string => text.replaceAll("hunter2", "***");

    expect(toJson({ hunter2: ["my hunter2", { a: "hunter2" }], b: "fine" }, { ...options, redact })).toEqual({
      hunter2: ["my ***", { a: "***" }],
      b: "fine",
    });
  });

  test("shares what is known to be admitted already", () => {
    const known = new WeakSet<object>();
    const first = toJson({ a: { b: 1 } }, { ...options, known }) as { a: object };
    const second = toJson({ kept: first.a, more: {} }, { ...options, known }) as { kept: object };

    expect(second.kept).toBe(first.a);
  });
});

/** What a copy is besides its value: which parts are frozen, and which hold lists that are not. */
function shapeOf(value: Json): unknown {
  if (typeof value !== "object" || value === null) return null;
  const parts = Object.values(value as Readonly<Record<string, Json>>).map(shapeOf);
  return [Object.isFrozen(value), holdsLooseLists(value), parts];
}

describe("adoptParsed", () => {
  const value = fc.jsonValue({ maxDepth: 4 }).map((given) => JSON.stringify(given));
  const long = fc
    .array(fc.jsonValue({ maxDepth: 2 }), { minLength: 30, maxLength: 40 })
    .map((given) => JSON.stringify(given));
  const isSafe = (text: string): boolean => !/"(__proto__|constructor|prototype)":/.test(text);

  test("gives what a copy gives, frozen in the same places", () => {
    fc.assert(
      fc.property(fc.oneof(value, long).filter(isSafe), fc.boolean(), (text, isRecord) => {
        const of = { source: "the record", path: "state", isRecord };
        const copied = toJson(JSON.parse(text), of);
        const adopted = adoptParsed(JSON.parse(text) as Json, of);
        expect(adopted).toEqual(copied);
        expect(shapeOf(adopted)).toEqual(shapeOf(copied));
      }),
    );
  });

  test("refuses keys that reach a prototype, as a copy does", () => {
    const text = '{"a":[{"__proto__":{"isAdmin":true}}]}';
    expect(() => adoptParsed(JSON.parse(text) as Json, options)).toThrow("is not allowed");
  });

  test("copies what is frozen already, because it may be shared", () => {
    const shared = Object.freeze({ list: Object.freeze([Object.freeze({ empty: [] })]) });
    expect(adoptParsed(shared, options)).toEqual({ list: [{ empty: [] }] });
    expect(adoptParsed(shared, options)).not.toBe(shared);
  });

  test("takes parts that were adopted before, without writing to them", () => {
    fc.assert(
      fc.property(fc.oneof(value, long).filter(isSafe), (text) => {
        const state = adoptParsed({ part: JSON.parse(text) as Json }, options);
        const again = adoptParsed({ ...state }, options);
        expect(again).toEqual(state);
        expect(shapeOf(again)).toEqual(shapeOf(state));
      }),
    );
  });
});
