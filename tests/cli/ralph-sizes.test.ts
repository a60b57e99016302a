// Long lists and long answers cost what their size asks for: CPU and memory of the real program, not of the clock.

import { expect, setDefaultTimeout, test } from "bun:test";
import { type CliWorld, createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(3 * patienceMs);

interface Used {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly cpuMs: number;
  readonly peakMb: number;
}

async function used(world: CliWorld, ...words: readonly string[]): Promise<Used> {
  const child = Bun.spawn([world.program, ...words], {
    cwd: world.project,
    env: world.env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const stderr = await new Response(child.stderr).text();
  await child.exited;
  const usage = child.resourceUsage();
  const cpuMs = Number(usage?.cpuTime.total ?? 0) / 1000;
  return { exitCode: child.exitCode, stderr, cpuMs, peakMb: (usage?.maxRSS ?? 0) / 1024 / 1024 };
}

test("the first of 20,000 tasks is done within seconds of CPU", async () => {
  const world = createCliWorld();
  const tasks = Array.from({ length: 20_000 }, (_, i) => ({ id: `t${i}`, name: `Task ${i}`, description: "Do it." }));
  world.write("project/research/tasks.json", { version: "1.0", tasks });
  const script = world.script("s", [{ agent: "worker", steps: [{ say: "ok" }] }]);
  const run = await used(world, "ralph", "--script", script, "--max-iterations", "1", "--workers", "1");

  expect(run.stderr).toContain("✓ t0  Task 0  (1 of 20000 tasks");
  expect(run.exitCode).toBe(5);
  // It was 11 s when each event looked at every task, and is 1 to 2 s.
  expect(run.cpuMs).toBeLessThan(6000);
});

test("a plan of 100 MB needs a few times its size in memory", async () => {
  const world = createCliWorld();
  const script = world.write(
    "huge.ts",
    `const say = '{"tasks":[{"id":"1","title":"' + "x".repeat(100 * 1024 * 1024) + '"}]}';
export default { version: 1, turns: [{ agent: "planner", steps: [{ say }] }] };
`,
  );
  const run = await used(world, "ralph", "Do it", "--script", script);

  expect(run.stderr).toMatch(/the answer is 10\d{7} characters long, more than can be a plan/);
  // It was 3,600 MB when every sixteen characters were a separate event, and is less than 500.
  expect(run.peakMb).toBeLessThan(1500);
});
