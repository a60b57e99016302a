import { expect, test } from "bun:test";
import { SyncItems, forEach } from "./sync-items.ts";

async function* later<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

test("forEach takes synchronous items without awaiting each, and others as they arrive", async () => {
  const seen: number[] = [];
  const walked = forEach(new SyncItems([1, 2]), (item) => seen.push(item));
  expect(seen).toEqual([1, 2]);
  await walked;
  await forEach(later([3, 4]), (item) => seen.push(item));

  expect(seen).toEqual([1, 2, 3, 4]);
});

test("forEach rejects with what is thrown for an item, and takes no further one", async () => {
  for (const items of [new SyncItems([1, 2, 3]), later([1, 2, 3])]) {
    const seen: number[] = [];
    const walked = forEach(items, (item) => {
      seen.push(item);
      if (item === 2) throw new Error("damaged");
    });

    await expect(walked).rejects.toThrow("damaged");
    expect(seen).toEqual([1, 2]);
  }
});

test("SyncItems can be iterated asynchronously like any other source", async () => {
  const seen: number[] = [];
  for await (const item of new SyncItems([1, 2])) seen.push(item);

  expect(seen).toEqual([1, 2]);
});
