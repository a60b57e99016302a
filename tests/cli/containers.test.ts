// Runs whose process was in another container, or on a machine that has another name by now. Real pid and host name
// namespaces, which need root.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, patienceMs, poll } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
const canUnshare =
  process.getuid?.() === 0 &&
  Bun.spawnSync(["unshare", "-m", "-p", "-f", "-u", "--mount-proc", "true"], { env: { PATH: path } }).exitCode === 0;

function makeWorld(): CliWorld & { readonly words: string[] } {
  const world = createCliWorld();
  world.workflow(
    "stay",
    `import { createNode, graph } from "atomic/workflows";
import { existsSync, writeFileSync } from "node:fs";
export const name = "stay";
export const description = "Stays until a file is there";
export const prompt = "none";
export default () => graph().start(createNode({ id: "stay", execute: async () => {
  writeFileSync("started", "");
  while (!existsSync("go")) await Bun.sleep(20);
  return { stateUpdate: { outputs: { stay: "went" } } };
} }));
`,
  );
  const script = world.script("nothing", []);
  return { ...world, words: ["run", "stay", "--script", script] };
}

/** The program in a separate container: its own processes, its own host name, the same files. */
function startInContainer(world: CliWorld, host: string, words: readonly string[]) {
  const line = `hostname ${host}; exec '${world.program}' ${words.map((word) => `'${word}'`).join(" ")}`;
  const unshare = ["unshare", "-m", "-p", "-f", "-u", "--mount-proc", "--kill-child=SIGKILL", "sh", "-c", line];
  const child = Bun.spawn(unshare, {
    cwd: world.project,
    env: { ...world.env, PATH: path },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return {
    /** As `docker kill` does: everything in it is gone at once. */
    kill: () => child.kill("SIGKILL"),
    ended: output.then(([stdout, stderr, exitCode]) => ({ stdout, stderr, exitCode })),
  };
}

const inContainer = (world: CliWorld, host: string, ...words: readonly string[]) =>
  startInContainer(world, host, words).ended;

async function started(world: CliWorld): Promise<string> {
  await poll(() => (existsSync(join(world.project, "started")) ? true : undefined));
  return world.onlyRun();
}

test.if(canUnshare)(
  "a run of a container that was killed is interrupted, and the next container resumes it",
  async () => {
    const world = makeWorld();
    const first = startInContainer(world, "first", world.words);
    const id = await started(world);

    // While it lives, it can't be seen from another container, and no one may take it by accident.
    const live = await inContainer(world, "second", "sessions", "--json");
    expect(JSON.parse(live.stdout)).toMatchObject([{ id, status: "elsewhere" }]);
    const refused = await inContainer(world, "second", "resume");
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("RUN_OWNED");
    expect(refused.stderr).toContain("on host first");
    expect(refused.stderr).toContain(`atomic resume ${id} --take-over`);

    first.kill();
    await first.ended;
    const dead = await inContainer(world, "second", "sessions", "--json");
    expect(JSON.parse(dead.stdout)).toMatchObject([{ id, status: "interrupted" }]);
    expect(JSON.parse((await world.run(["sessions", "--json"])).stdout)).toMatchObject([{ id, status: "interrupted" }]);
    world.write("project/go", "");
    const resumed = await inContainer(world, "second", "resume");
    expect(resumed.stderr).toContain(`Resumed Stay session: ${id}`);
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "went\n" });
  },
);

test.if(canUnshare)(
  "after a kill −9 another host name changes nothing: the run is interrupted and resumes without its id",
  async () => {
    const world = makeWorld();
    const run = world.start(world.words);
    const id = await started(world);
    const renamed = async (...words: readonly string[]) => {
      const line = `hostname renamed; exec '${world.program}' ${words.join(" ")}`;
      const done = Bun.spawnSync(["unshare", "-u", "sh", "-c", line], {
        cwd: world.project,
        env: { ...world.env, PATH: path },
      });
      return { exitCode: done.exitCode, stdout: done.stdout.toString(), stderr: done.stderr.toString() };
    };
    expect(JSON.parse((await renamed("sessions", "--json")).stdout)).toMatchObject([{ id, status: "running" }]);
    run.signal("SIGKILL");
    await run.ended;

    expect(JSON.parse((await renamed("sessions", "--json")).stdout)).toMatchObject([{ id, status: "interrupted" }]);
    world.write("project/go", "");
    expect(await renamed("resume", "--quiet")).toEqual({ exitCode: 0, stdout: "went\n", stderr: "" });
    expect(readFileSync(join(world.sessions, id, "session.json"), "utf8")).toContain('"completed"');
  },
);
