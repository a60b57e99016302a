import { expect, test } from "bun:test";
import { planAccess } from "./access-plan.ts";
import { seatbeltProfile } from "./seatbelt.ts";

const entries = [
  { path: "/data/me/work", access: "write" },
  { path: "/data/me/work/.git/hooks", access: "read" },
] as const;

test("seatbeltProfile denies all writes, then allows and denies places from the outside in", () => {
  const lines = seatbeltProfile({ entries, temp: "/private/tmp/x", ports: undefined }).split("\n");
  const at = (text: string): number => lines.indexOf(text);
  expect(lines.slice(0, 3)).toEqual(["(version 1)", "(allow default)", "(deny file-write*)"]);
  expect(at('(allow file-write* (subpath "/private/tmp/x"))')).toBeGreaterThan(2);
  expect(at('(allow file-write* (subpath "/data/me/work"))')).toBeGreaterThan(2);
  expect(at('(deny file-write* (subpath "/data/me/work/.git/hooks"))')).toBeGreaterThan(
    at('(allow file-write* (subpath "/data/me/work"))'),
  );
  expect(at("(deny network-outbound (remote unix-socket))")).toBeGreaterThan(2);
  expect(lines.some((line) => line.includes("(remote ip"))).toBe(false);
});

test("seatbeltProfile in strict mode reaches the ports it was given on loopback, and nothing else", () => {
  const lines = seatbeltProfile({ entries, temp: "/private/tmp/x", ports: [3128, 4096] }).split("\n");
  const denied = lines.indexOf("(deny network-outbound (remote ip))");
  expect(denied).toBeGreaterThan(0);
  expect(lines.filter((line) => line.startsWith("(allow network-outbound (remote ip"))).toEqual([
    '(allow network-outbound (remote ip "localhost:3128"))',
    '(allow network-outbound (remote ip "localhost:4096"))',
  ]);
  expect(lines.indexOf('(allow network-outbound (remote ip "localhost:3128"))')).toBeGreaterThan(denied);
});

test("seatbeltProfile lets a program open a terminal of its own, and none of the user's", () => {
  const lines = seatbeltProfile({ entries, temp: "/private/tmp/x", ports: undefined }).split("\n");
  expect(lines.indexOf('(allow file-write* (literal "/dev/ptmx"))')).toBeGreaterThan(
    lines.indexOf("(deny file-write*)"),
  );
  expect(lines.filter((line) => line.includes("ttys"))).toEqual([
    '(allow file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))',
  ]);
});

test("seatbeltProfile lets no folder be moved that has a rule of its own", () => {
  const plan = planAccess({ write: ["/data/me/work"], read: ["/data/me/work/.git/hooks"] });
  const lines = seatbeltProfile({ entries: plan, temp: "/private/tmp/x", ports: undefined }).split("\n");
  const denied = lines.filter((line) => line.startsWith("(deny file-write-unlink"));
  expect(denied).toEqual(
    ["/private/tmp/x", "/data/me/work", "/data/me/work/.git", "/data/me/work/.git/hooks"].map(
      (path) => `(deny file-write-unlink (literal "${path}"))`,
    ),
  );
  expect(lines.findLastIndex((line) => line.startsWith("(allow file-write*"))).toBeLessThan(lines.indexOf(denied[0]!));
});

test("seatbeltProfile quotes paths, so that a folder's name can't add a rule", () => {
  const path = '/data/me/a") (allow file-write* (subpath "/';
  const profile = seatbeltProfile({ entries: [{ path, access: "write" }], temp: "/t", ports: undefined });
  expect(profile).toContain('(allow file-write* (subpath "/data/me/a\\") (allow file-write* (subpath \\"/"))');
});
