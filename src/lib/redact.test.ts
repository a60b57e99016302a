import { expect, test } from "bun:test";
import { createRedactor, createStreamRedactors } from "./redact.ts";

const env = {
  API_KEY: "abcdefgh",
  OTHER_TOKEN: "abcdefghij",
  SHORT_SECRET: "abc",
  PATH: "/usr/bin",
  PASSWORD: undefined,
};

test("createRedactor masks the values of secret-looking variables, the longest first, and names them", () => {
  const redact = createRedactor(env);

  expect(redact?.("x abcdefghij y abcdefgh z")).toBe("x [masked OTHER_TOKEN] y [masked API_KEY] z");
  expect(redact?.("abc /usr/bin")).toBe("abc /usr/bin");
  expect(createRedactor({ PATH: "/usr/bin", SHORT_SECRET: "abc" })).toBeUndefined();
});

test("a stream redactor masks a secret wherever it is cut, and holds nothing back for long", () => {
  const text = "before abcdefghij after abcdefgh! abcdef";
  const expected = "before [masked OTHER_TOKEN] after [masked API_KEY]! abcdef";
  for (let size = 1; size <= text.length; size++) {
    const stream = createStreamRedactors(env)?.();
    let shown = "";
    for (let at = 0; at < text.length; at += size) shown += stream?.push(text.slice(at, at + size)) ?? "";
    shown += stream?.end() ?? "";
    expect([size, shown]).toEqual([size, expected]);
  }
  expect(createStreamRedactors({ PATH: "/usr/bin" })).toBeUndefined();
});

test("a stream redactor cuts no secret that ends as it begins", () => {
  const stream = createStreamRedactors({ MY_TOKEN: "abab-1-abab" })?.();

  expect([stream?.push("x abab-1-a"), stream?.push("bab"), stream?.push(" y"), stream?.end()].join("")).toBe(
    "x [masked MY_TOKEN] y",
  );
});
