// A home on a read-only disk: what is there can be read, what would be written is refused in one line, and nothing is
// called a bug of the program.

import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

const path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
const canMount =
  process.getuid?.() === 0 && Bun.spawnSync(["unshare", "-m", "true"], { env: { PATH: path } }).exitCode === 0;

test.if(canMount)(
  "on a read-only disk runs are shown as they are, and what can't be written is said in one line",
  async () => {
    const world = createCliWorld();
    world.workflow(
      "ask",
      `import { askUserNode, createNode, graph } from "atomic/workflows";
export const name = "ask";
export const description = "Asks";
export const prompt = "optional";
const stay = createNode({ id: "stay", execute: async (ctx) => {
  if (ctx.state.prompt === "stay") process.kill(process.pid, "SIGKILL");
  return {};
} });
export default () => graph().start(stay).then(askUserNode({ id: "sure", question: "Sure?" }));
`,
    );
    const script = world.script("nothing", []);
    const words = ["run", "ask", "--script", script, "--json"];
    const completed = (await world.run([...words, "--answer", "Sure?=yes"])).events()[0]?.runId ?? "";
    const paused = (await world.run(words)).events()[0]?.runId ?? "";
    const killed = (await world.run([...words, "stay"])).events()[0]?.runId ?? "";
    world.write("home/project/.atomic/workflows/local.ts", 'export const name = "local";\n');

    const home = JSON.stringify(world.home);
    const readOnly = `mount --bind ${home} ${home} && mount -o remount,ro,bind ${home}`;
    const run = (...words: string[]) => {
      const inner = `${readOnly} && exec '${world.program}' ${words.join(" ")}`;
      const done = Bun.spawnSync(["unshare", "-m", "sh", "-c", inner], {
        cwd: join(world.home, "project"),
        env: { ...world.env, PATH: path },
      });
      return { exitCode: done.exitCode, stdout: done.stdout.toString(), stderr: done.stderr.toString() };
    };

    const listed = run("sessions", "--json");
    expect(listed.exitCode).toBe(0);
    const statuses = Object.fromEntries(
      (JSON.parse(listed.stdout) as { id: string; status: string }[]).map(({ id, status }) => [id, status]),
    );
    expect(statuses).toEqual({ [completed]: "completed", [paused]: "paused", [killed]: "interrupted" });
    for (const id of [completed, paused, killed]) {
      expect(run("sessions", "show", id)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(run("sessions", "logs", id).stdout).toContain("run.started");
    }

    for (const [words, text] of [
      [["resume", paused], "read-only"],
      [["resume", killed], "read-only"],
      [["answer", paused, "yes"], "read-only"],
      [["sessions", "rm", completed], "read-only"],
      [["run", "ask", "--script", script], "read-only"],
      [["trust", "--yes"], "read-only"],
      [["init"], "read-only"],
      [["config", "set", "model", "x"], "read-only"],
      [["config", "set", "model", "x", "--project"], "read-only"],
      [["workflows", "new", "fresh"], "read-only"],
      [["workflows", "new", "fresh", "--global"], "read-only"],
      [["doctor"], "can't be written"],
    ] as const) {
      const refused = run(...words);
      const said = refused.stdout + refused.stderr;
      expect([words, refused.exitCode === 0, said.includes(text)]).toEqual([words, false, true]);
      expect(said).not.toMatch(/should not happen|\n {4}at /);
    }
    // Nothing of it was lost.
    expect((await world.run(["resume", paused, "--answer", "Sure?=yes"])).exitCode).toBe(0);
  },
);
