import { expect, test } from "bun:test";
import { isHostAllowed, parseHostRule, ruleOfUrl } from "./allow-list.ts";

const rules = (...texts: readonly string[]) => texts.flatMap((text) => parseHostRule(text) ?? []);

test("parseHostRule takes names, wildcards, ports and addresses, and nothing else", () => {
  expect(parseHostRule("API.example.com")).toEqual({ host: "api.example.com", port: undefined });
  expect(parseHostRule("*.example.com:8443")).toEqual({ host: "*.example.com", port: 8443 });
  expect(parseHostRule("[::1]:80")).toEqual({ host: "::1", port: 80 });
  for (const text of [
    "",
    "*",
    "https://example.com",
    "example.com/path",
    "a b",
    "exa*mple.com",
    "a:0",
    "a:99999",
    "*.",
  ])
    expect([text, parseHostRule(text)]).toEqual([text, undefined]);
});

test("isHostAllowed compares whole names, and the usual ports where none is named", () => {
  const list = rules("example.com", "*.wild.org", "other.net:8443");
  expect(isHostAllowed(list, "example.com", 443)).toBe(true);
  expect(isHostAllowed(list, "EXAMPLE.com.", 80)).toBe(true);
  expect(isHostAllowed(list, "example.com", 22)).toBe(false);
  expect(isHostAllowed(list, "evil-example.com", 443)).toBe(false);
  expect(isHostAllowed(list, "example.com.evil.org", 443)).toBe(false);
  expect(isHostAllowed(list, "a.b.wild.org", 443)).toBe(true);
  expect(isHostAllowed(list, "wild.org", 443)).toBe(false);
  expect(isHostAllowed(list, "evilwild.org", 443)).toBe(false);
  expect(isHostAllowed(list, "other.net", 8443)).toBe(true);
  expect(isHostAllowed(list, "other.net", 443)).toBe(false);
  expect(isHostAllowed([], "127.0.0.1", 80)).toBe(false);
});

test("ruleOfUrl keeps host and port of a web address", () => {
  expect(ruleOfUrl("https://gateway.example.com/v1")).toBe("gateway.example.com");
  expect(ruleOfUrl("http://127.0.0.1:4000")).toBe("127.0.0.1:4000");
  expect(ruleOfUrl("file:///etc/passwd")).toBeUndefined();
  expect(ruleOfUrl("")).toBeUndefined();
});
