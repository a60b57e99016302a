import { expect, test } from "bun:test";
import { clip } from "../agents/clip.ts";
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

test("createRedactor masks a short secret as a whole word only", () => {
  const redact = createRedactor({ DB_PASS: "hunt2" });

  expect(redact?.("pw=hunt2, 'hunt2' hunt2")).toBe("pw=[masked DB_PASS], '[masked DB_PASS]' [masked DB_PASS]");
  expect(redact?.("hunt23 xhunt2 hunt2é")).toBe("hunt23 xhunt2 hunt2é");
  expect(createRedactor({ DB_PASS: "hunter2" })?.("xhunter2x")).toBe("x[masked DB_PASS]x");
  const stream = createStreamRedactors({ DB_PASS: "hunt2" })?.();
  expect(
    "hunt2 hunt23 hunt2"
      .split("")
      .map((char) => stream?.push(char))
      .join("") + (stream?.end() ?? ""),
  ).toBe("[masked DB_PASS] hunt23 [masked DB_PASS]");
});

test("createRedactor masks the rest of a secret where a text was cut", () => {
  const secret = "0123456789abcdefghij";
  const redact = createRedactor({ MY_TOKEN: secret });
  for (let cut = 8; cut < secret.length; cut++) {
    const head = `says ${secret.slice(0, cut)}`;
    const tail = `${secret.slice(-cut)} and so on`;
    expect(redact?.(head)).toBe("says [masked MY_TOKEN]");
    expect(redact?.(tail)).toBe("[masked MY_TOKEN] and so on");
  }
  for (let around = 0; around < 60; around++) {
    const masked = redact?.(clip(`${"x".repeat(60 - around)}${secret}${"y".repeat(around)}`, 40)) ?? "";
    for (let at = 0; at + 8 <= secret.length; at++) expect(masked).not.toContain(secret.slice(at, at + 8));
  }
  expect(redact?.("0123456")).toBe("0123456");
});

test("createRedactor masks secrets that contain special characters of patterns", () => {
  const secret = "a.b*c+d?e^f$g{h}(i)|[j]\\k/l-m";
  expect(createRedactor({ MY_TOKEN: secret })?.(`x ${secret} y a.b*c`)).toBe("x [masked MY_TOKEN] y a.b*c");
});
