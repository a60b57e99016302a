import { expect, test } from "bun:test";
import { AtOnce, forEach } from "./at-once.ts";

async function* later<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

test("forEach takes items that are there at once without waiting, and others as they come", async () => {
  const seen: number[] = [];
  const walked = forEach(new AtOnce([1, 2]), (item) => seen.push(item));
  expect(seen).toEqual([1, 2]);
  await walked;
  await forEach(later([3, 4]), (item) => seen.push(item));

  expect(seen).toEqual([1, 2, 3, 4]);
});

test("forEach rejects with what is thrown for an item, and takes no further one", async () => {
  for (const items of [new AtOnce([1, 2, 3]), later([1, 2, 3])]) {
    const seen: number[] = [];
    const walked = forEach(items, (item) => {
      seen.push(item);
      if (item === 2) throw new Error("damaged");
    });

    await expect(walked).rejects.toThrow("damaged");
    expect(seen).toEqual([1, 2]);
  }
});

test("AtOnce can be waited for like any other source", async () => {
  const seen: number[] = [];
  for await (const item of new AtOnce([1, 2])) seen.push(item);

  expect(seen).toEqual([1, 2]);
});
