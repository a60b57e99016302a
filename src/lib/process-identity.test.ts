import { expect, test } from "bun:test";
import { currentProcess, isElsewhere, livenessOf, parseProcessIdentity } from "./process-identity.ts";

const here = currentProcess();

test("livenessOf says alive for this process", () => {
  expect(here.pid).toBe(process.pid);
  expect(livenessOf(here)).toBe("alive");
});

test("livenessOf says dead for a process that has ended", async () => {
  const child = Bun.spawn([process.execPath, "-e", ""], { env: {} });
  const identity = { ...here, pid: child.pid };
  await child.exited;
  expect(livenessOf(identity)).toBe("dead");
});

test("livenessOf says dead for a child that ended and was not waited for", async () => {
  // The shell starts a child that ends at once, then becomes a program that never collects it.
  const parent = Bun.spawn(["/bin/sh", "-c", "sleep 0 & echo $!; exec sleep 60"], { env: {}, stdout: "pipe" });
  try {
    const reader = parent.stdout.getReader();
    const { value } = await reader.read();
    const pid = Number(new TextDecoder().decode(value));
    for (let tries = 0; livenessOf({ ...here, pid, started: "" }) === "alive" && tries < 500; tries++)
      await Bun.sleep(10);
    expect(livenessOf({ ...here, pid, started: "" })).toBe("dead");
  } finally {
    parent.kill();
    await parent.exited;
  }
});

test("livenessOf says dead for an earlier process with the same pid", () => {
  expect(livenessOf({ ...here, started: "1" })).toBe("dead");
});

test("livenessOf says dead for a process of an earlier boot", () => {
  expect(livenessOf({ ...here, boot: "a" }, { here: { ...here, boot: "b" } })).toBe("dead");
});

const machine = { ...here, machine: "m", boot: "a", namespace: "pid:[4026531836]", host: "one" };
const container = { ...machine, namespace: "pid:[4026531999]" };
const gone = { pid: 2 ** 22 + 7, started: "1" };

test.each([
  ["another name of the machine, which was not started again", machine, { ...machine, ...gone, host: "two" }, "dead"],
  [
    "another name and another machine id, on one kernel",
    machine,
    { ...machine, ...gone, host: "two", machine: "" },
    "dead",
  ],
  ["another container of this kernel", machine, { ...container, ...gone }, "unknown"],
  ["this machine, renamed and started again", machine, { ...machine, ...gone, host: "two", boot: "b" }, "dead"],
  [
    "a container of the same image on another kernel",
    container,
    { ...container, ...gone, host: "two", boot: "b" },
    "unknown",
  ],
  ["another machine", machine, { ...machine, ...gone, machine: "n", boot: "b" }, "unknown"],
  [
    "another machine of the same name, without ids",
    { ...machine, machine: "" },
    { ...machine, machine: "n", boot: "b" },
    "unknown",
  ],
  [
    "this machine, where nothing is said about boots",
    { ...machine, boot: "" },
    { ...machine, ...gone, boot: "" },
    "dead",
  ],
  [
    "a machine of another name, where nothing is said about boots",
    { ...machine, boot: "", machine: "" },
    { ...machine, ...gone, boot: "", machine: "", host: "two" },
    "unknown",
  ],
] as const)("livenessOf knows %s", (_, here, other, expected) => {
  expect(livenessOf(other, { here })).toBe(expected);
  // What can't be seen from here is elsewhere.
  expect(isElsewhere(other, here)).toBe(expected === "unknown");
});

test("a process of another kernel is dead when it was recorded on a disk that only this one uses", () => {
  const other = { ...machine, ...gone, machine: "n", host: "two", boot: "b" };
  expect(livenessOf(other, { here: machine, isDiskLocal: () => true })).toBe("dead");
  expect(livenessOf({ ...container, ...gone }, { here: machine, isDiskLocal: () => true })).toBe("unknown");
});

test("parseProcessIdentity reads an identity back from JSON", () => {
  expect(parseProcessIdentity(JSON.parse(JSON.stringify(here)))).toEqual(here);
});

test.each([null, 7, {}, { ...here, pid: "1" }, { ...here, pid: -4 }, { ...here, host: 7 }])(
  "parseProcessIdentity refuses %j",
  (value) => {
    expect(parseProcessIdentity(value)).toBeUndefined();
  },
);
