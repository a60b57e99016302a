import { expect, test } from "bun:test";
import { currentProcess, livenessOf, parseProcessIdentity } from "./process-identity.ts";

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
  expect(livenessOf({ ...here, boot: "a" }, { ...here, boot: "b" })).toBe("dead");
});

test.each(["host", "machine", "namespace"] as const)("livenessOf says unknown for another %s", (key) => {
  expect(livenessOf({ ...here, pid: 1, started: "1", [key]: "elsewhere" })).toBe("unknown");
});

test("parseProcessIdentity gives back what JSON kept of an identity", () => {
  expect(parseProcessIdentity(JSON.parse(JSON.stringify(here)))).toEqual(here);
});

test.each([null, 7, {}, { ...here, pid: "1" }, { ...here, pid: -4 }, { ...here, host: 7 }])(
  "parseProcessIdentity refuses %j",
  (value) => {
    expect(parseProcessIdentity(value)).toBeUndefined();
  },
);
