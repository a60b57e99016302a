import { expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../lib/clock.ts";
import { settleWithin } from "./guarded-call.ts";

test("a loop after an await ends the program, with the name of the file", async () => {
  const script = `
    import { settleWithin } from ${JSON.stringify(join(import.meta.dir, "guarded-call.ts"))};
    import { systemClock } from ${JSON.stringify(join(import.meta.dir, "../../lib/clock.ts"))};
    const stuck = (async () => { await 0; for (;;); })();
    await settleWithin(100, systemClock, stuck, "stuck.ts");`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    env: { PATH: "/usr/bin:/bin" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = await child.stderr.text();
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  expect(said).toContain("stuck.ts did not finish loading within 0.1 s");
});

test("a call that settles in time returns its value, and leaves nothing behind", async () => {
  expect(await settleWithin(100, systemClock, Promise.resolve(5), "fine.ts")).toBe(5);
});
