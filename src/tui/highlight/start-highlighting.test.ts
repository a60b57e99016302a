import { expect, test } from "bun:test";
import { createDeferred } from "../../lib/deferred.ts";
import { startHighlighting } from "./start-highlighting.ts";

test("highlighting has started when the first text is highlighted: before, texts are shown as they are written", async () => {
  const first = createDeferred<object>();
  const asked: string[] = [];
  let hasStarted = false;
  const started = startHighlighting({
    initialize: async () => undefined,
    highlightOnce: (_, filetype) => {
      asked.push(filetype);
      return first.promise;
    },
  }).finally(() => (hasStarted = true));
  while (asked.length === 0) await Promise.resolve();

  expect(hasStarted).toBe(false);
  first.resolve({});
  expect(await started).toBe(true);
  expect(asked).toEqual(["markdown"]);
});

test("where the parser can't be loaded, texts stay as they are written", async () => {
  const started = startHighlighting({
    initialize: () => Promise.reject(new Error("no worker")),
    highlightOnce: async () => ({}),
  });

  expect(await started).toBe(false);
});
