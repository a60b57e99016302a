import { expect, test } from "bun:test";
import { runIdOf, shortIds } from "./run-reference.ts";

const ids = ["aaaa1111", "aaaa2222", "bbbb"];
const reader = () => Promise.resolve({ ids: () => Promise.resolve(ids), newest: () => Promise.resolve(undefined) });

test("a run is named by its id or by a start that only it has", async () => {
  expect(await runIdOf("bbbb", reader, "/p")).toBe("bbbb");
  expect(await runIdOf("b", reader, "/p")).toBe("bbbb");
  expect(await runIdOf("aaaa1", reader, "/p")).toBe("aaaa1111");
});

test("a start that several have is refused, and those are named", async () => {
  expect(runIdOf("aaaa", reader, "/p")).rejects.toThrow('2 runs start with "aaaa": aaaa1111, aaaa2222.');
});

test("a name that no id could have is left to the reader, and a whole id is not even looked for", async () => {
  expect(await runIdOf("../x", reader, "/p")).toBe("../x");
  const whole = "0b3f6a52-1111-4222-8333-444455556666";
  expect(await runIdOf(whole, () => Promise.reject(new Error("read")), "/p")).toBe(whole);
});

test("a start that no run has is reported as such", async () => {
  expect(runIdOf("cc", reader, "/p")).rejects.toThrow('No run has an id that starts with "cc".');
});

test("@last needs a run of this folder", async () => {
  expect(runIdOf("@last", reader, "/p")).rejects.toThrow("There is no run of /p");
});

test("short ids are as long as needed to be unique", () => {
  expect([...shortIds(["0123456789", "0123456799", "abc"]).values()]).toEqual(["012345678", "012345679", "abc"]);
  expect([...shortIds(["0123456789"]).values()]).toEqual(["01234567"]);
});
