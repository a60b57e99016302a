import { expect, test } from "bun:test";
import { createDeferred, type Deferred } from "../../lib/deferred.ts";
import { coalesceHighlights, type Highlighted } from "./coalesce-highlights.ts";

/** A worker and a clock that move by hand. */
function setUp() {
  const sent: { readonly content: string; readonly done: Deferred<Highlighted<string>> }[] = [];
  const rests: { readonly ms: number; readonly over: Deferred<void> }[] = [];
  let time = 0;
  const highlight = coalesceHighlights<string>(
    (content) => {
      const done = createDeferred<Highlighted<string>>();
      sent.push({ content, done });
      return done.promise;
    },
    {
      now: () => time,
      wait(ms) {
        const over = createDeferred<void>();
        rests.push({ ms, over });
        return over.promise;
      },
    },
  );
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    highlight,
    sent,
    rests,
    async finish(i: number, tookMs: number): Promise<void> {
      time += tookMs;
      sent[i]?.done.resolve({ highlights: [`of ${sent[i]?.content.length}`] });
      await settle();
    },
    async rest(i: number): Promise<void> {
      rests[i]?.over.resolve();
      await settle();
    },
  };
}

const text = (length: number): string => "let value = 1;\n".repeat(1000).slice(0, length);

test("of the pieces that come while a text is highlighted only the newest reaches the worker", async () => {
  const { highlight, sent, finish, rest } = setUp();
  const answers = [1000, 1010, 1020, 1030].map((length) => highlight(text(length), "typescript"));
  await finish(0, 5);
  expect(sent.map(({ content }) => content.length)).toEqual([1000]);
  await rest(0);
  await finish(1, 5);

  expect(sent.map(({ content }) => content.length)).toEqual([1000, 1030]);
  expect(await Promise.all(answers)).toEqual([
    { highlights: ["of 1000"] },
    { warning: "superseded" },
    { warning: "superseded" },
    { highlights: ["of 1030"] },
  ]);
});

test("the worker rests in proportion to what the last request took", async () => {
  const { highlight, rests, finish, rest } = setUp();
  void highlight(text(1000), "typescript");
  await finish(0, 1);
  void highlight(text(2000), "typescript");
  await rest(0);
  await finish(1, 100);
  void highlight(text(3000), "typescript");
  await rest(1);
  await finish(2, 5000);

  expect(rests.map(({ ms }) => ms)).toEqual([50, 400, 1000]);
});

test("texts that don't continue each other, and short ones, don't wait for each other", () => {
  const { highlight, sent } = setUp();
  void highlight(text(1000), "typescript");
  void highlight(text(1000), "markdown");
  void highlight(`other ${text(1000)}`, "typescript");
  void highlight("short", "typescript");
  void highlight("shorter", "typescript");

  expect(sent.length).toBe(5);
});

test("a failing worker is reported to the caller, and the next request is sent", async () => {
  const { highlight, sent, rest } = setUp();
  const first = highlight(text(1000), "typescript");
  const second = highlight(text(1100), "typescript");
  sent[0]?.done.reject(new Error("no parser"));
  await expect(first).rejects.toThrow("no parser");
  await rest(0);
  sent[1]?.done.resolve({});

  expect(await second).toEqual({});
});
