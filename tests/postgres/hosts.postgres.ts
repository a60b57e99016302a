// Two hosts that share nothing but the database: each has its own network, host name and process numbers, and a
// clock that is an hour off, in opposite directions. So neither can see whether the other's process lives; only the
// lease, by the database's clock, shows it. Needs Linux and root; elsewhere these are skipped.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CliWorld, createCliWorld, poll } from "../cli/cli-world.ts";
import { stepsWorkflow, turn } from "./machines.ts";
import { type PostgresServer, startPostgres } from "./server.ts";
import { PostgresSaver } from "../../src/journal/postgres/postgres-saver.ts";
import { newSchema, serverFolder } from "./shared-server.ts";

setDefaultTimeout(240_000);

const isPossible =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(["sh", "-c", "command -v ip unshare && ip netns list"]).exitCode === 0;

const hourMs = 3_600_000;
const program = join(import.meta.dir, "shifted-host.ts");
const must = (...words: readonly string[]): void => {
  const { exitCode, stderr } = Bun.spawnSync([...words]);
  if (exitCode !== 0) throw new Error(`${words.join(" ")}: ${stderr.toString()}`);
};

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A host with its own network, and how this machine reaches it. */
class Host {
  readonly world: CliWorld;
  readonly #name: string;
  readonly #shiftMs: number;
  readonly #net: number;
  /** Its first process, which lives as long as the host. */
  readonly #init: number;
  readonly #holder: Bun.Subprocess;

  constructor(name: string, net: number, shiftMs: number, world: CliWorld) {
    this.#name = `${name}${process.pid}`;
    this.#net = net;
    this.#shiftMs = shiftMs;
    this.world = world;
    world.workflow("steps", stepsWorkflow);
    must("ip", "netns", "add", this.#name);
    must("ip", "link", "add", this.#link, "type", "veth", "peer", "name", `${this.#link}p`);
    must("ip", "link", "set", `${this.#link}p`, "netns", this.#name);
    must("ip", "addr", "add", `${this.address}/24`, "dev", this.#link);
    must("ip", "link", "set", this.#link, "up");
    this.#inside("ip", "addr", "add", `10.213.${net}.2/24`, "dev", `${this.#link}p`);
    this.#inside("ip", "link", "set", `${this.#link}p`, "up");
    this.#inside("ip", "link", "set", "lo", "up");
    const isolate = ["unshare", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"];
    const named = ["sh", "-c", 'hostname "$0" && exec sleep 100000', this.#name];
    this.#holder = Bun.spawn(["ip", "netns", "exec", this.#name, ...isolate, ...named]);
    this.#init = firstChildOf(this.#holder.pid);
  }

  get #link(): string {
    return `at${this.#net}x${process.pid % 100_000}`;
  }

  /** Where it finds this machine. */
  get address(): string {
    return `10.213.${this.#net}.1`;
  }

  #inside(...words: readonly string[]): void {
    must("ip", "netns", "exec", this.#name, ...words);
  }

  /** In the host's own namespaces. */
  start(
    url: (address: string) => string,
    words: readonly string[],
    cwd: string,
  ): { kill(): void; ended: Promise<Ended> } {
    const enter = ["nsenter", "-t", String(this.#init), "--net", "--uts", "--pid", "--mount", `--wdns=${cwd}`];
    const child = Bun.spawn([...enter, process.execPath, "--no-env-file", program, ...words], {
      cwd,
      env: { ...this.world.env, ATOMIC_STORE: url(this.address), ATOMIC_TEST_SHIFT_MS: String(this.#shiftMs) },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const ended = (async (): Promise<Ended> => {
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      return { exitCode: child.exitCode ?? -1, stdout, stderr };
    })();
    return {
      kill() {
        for (const pid of childrenOf(child.pid)) process.kill(pid, "SIGKILL");
      },
      ended,
    };
  }

  run(url: (address: string) => string, words: readonly string[], cwd: string): Promise<Ended> {
    return this.start(url, words, cwd).ended;
  }

  cut(): void {
    must("ip", "link", "set", this.#link, "down");
  }

  reconnect(): void {
    must("ip", "link", "set", this.#link, "up");
  }

  dispose(): void {
    this.#holder.kill("SIGKILL");
    Bun.spawnSync(["ip", "netns", "del", this.#name]);
    Bun.spawnSync(["ip", "link", "del", this.#link]);
  }
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

/** Waits until it is there, and has its name. */
function firstChildOf(pid: number): number {
  for (;;) {
    const [child] = childrenOf(pid);
    if (child !== undefined && readFileSync(`/proc/${child}/comm`, "utf8") === "sleep\n") return child;
  }
}

const worlds = { ahead: createCliWorld(), behind: createCliWorld() };
let server: PostgresServer;
let ahead: Host;
let behind: Host;
beforeAll(async () => {
  if (!isPossible) return;
  ahead = new Host("ahead", 1 + (process.pid % 100), hourMs, worlds.ahead);
  behind = new Host("behind", 101 + (process.pid % 100), -hourMs, worlds.behind);
  server = await startPostgres(serverFolder(), [ahead.address, behind.address]);
});
afterAll(async () => {
  if (!isPossible) return;
  await server.dispose();
  for (const host of [ahead, behind]) host.dispose();
});

interface Shared {
  readonly store: PostgresSaver;
  readonly project: string;
  readonly url: (address: string) => string;
  readonly lines: () => string;
}

async function share(): Promise<Shared> {
  const schema = newSchema();
  const url = (address: string): string => `${server.url.replace("127.0.0.1", address)}?schema=${schema}`;
  const store = new PostgresSaver({ url: url("127.0.0.1") });
  await store.prepare();
  const { project } = ahead.world;
  return { store, project, url, lines: () => ahead.world.read("project/log.txt") };
}

/** A run on the host that is ahead, in the middle of its first turn. */
async function begin({ store, project, url }: Shared) {
  await Bun.write(join(project, "log.txt"), "");
  const hanging = ahead.world.script("h", [turn("one", { hang: true }), turn("two")]);
  const run = ahead.start(url, ["run", "steps", "-a", "scripted", "--script", hanging, "--answer", "ask=yes"], project);
  const begun = poll(() => (ahead.world.read("project/log.txt").includes("one") ? true : undefined), 60_000);
  const early = await Promise.race([begun, run.ended]);
  if (early !== true) throw new Error(`The run ended early with ${early.exitCode}: ${early.stderr}`);
  return { run, id: (await store.list()).runs[0]?.run ?? "" };
}

const resume = (id: string, script: string): readonly string[] => [
  "resume",
  id,
  "--script",
  script,
  "--answer",
  "ask=yes",
];

/** Tries until the run is no longer another host's; gives the refusals on the way. */
async function resumeWhenFree(shared: Shared, id: string, script: string) {
  const refusals: string[] = [];
  for (;;) {
    const ended = await behind.run(shared.url, resume(id, script), shared.project);
    if (!ended.stderr.includes("RUN_OWNED")) return { ended, refusals };
    refusals.push(ended.stderr);
  }
}

test.skipIf(!isPossible)(
  "a killed host's run is another host's when its lease is over, and not before, whatever their clocks say",
  async () => {
    const shared = await share();
    const { run, id } = await begin(shared);
    const script = ahead.world.script("s", [turn("one"), turn("two")]);
    const seen = JSON.parse((await behind.run(shared.url, ["sessions", "--json"], shared.project)).stdout) as object[];
    expect(seen).toMatchObject([{ id, status: "running" }]);
    const refused = await behind.run(shared.url, resume(id, script), shared.project);
    expect(refused.stderr).toContain("RUN_OWNED");
    const { ownedBy } = await shared.store.info(id);
    expect(ownedBy?.host).toStartWith("ahead");
    expect(Math.abs((ownedBy?.leaseUntil ?? 0) - Date.now())).toBeLessThan(60_000);

    run.kill();
    await run.ended;
    const killedAt = performance.now();
    const { ended, refusals } = await resumeWhenFree(shared, id, script);
    expect({ exitCode: ended.exitCode, stderr: ended.stderr }).toMatchObject({ exitCode: 0 });
    // Its process can't be seen from there: only the end of its lease shows it.
    expect(refusals.length).toBeGreaterThan(0);
    expect(performance.now() - killedAt).toBeGreaterThan(10_000);
    expect(performance.now() - killedAt).toBeLessThan(120_000);
    expect(await shared.store.info(id)).toMatchObject({
      status: "completed",
      ownedBy: { host: expect.stringMatching(/^behind/) },
    });
    await shared.store.close();
  },
);

test.skipIf(!isPossible)("a run on one host does not keep the folder of the same path busy on another", async () => {
  const shared = await share();
  const { run, id } = await begin(shared);
  expect(await shared.store.info(id)).toMatchObject({ owner: "alive", ownedBy: { isElsewhere: true } });
  const script = behind.world.script("s", [turn("one"), turn("two")]);
  const words = ["run", "steps", "-a", "scripted", "--script", script, "--answer", "ask=yes"];
  const beside = await behind.run(shared.url, words, shared.project);
  expect({ exitCode: beside.exitCode, stderr: beside.stderr }).toMatchObject({ exitCode: 0 });
  // On its own host it does.
  const busy = await ahead.run(shared.url, words, shared.project);
  expect(busy.stderr).toContain("FOLDER_BUSY");
  run.kill();
  await run.ended;
  await shared.store.close();
});

test.skipIf(!isPossible)("a host that is cut off gives its run up before another one takes it", async () => {
  const shared = await share();
  const { run, id } = await begin(shared);
  const script = ahead.world.script("s", [turn("one"), turn("two")]);
  ahead.cut();
  try {
    const cutOff = await run.ended;
    expect(cutOff.exitCode).toBe(1);
    expect(cutOff.stderr).toContain("OWNER_LOST");
    const { ended } = await resumeWhenFree(shared, id, script);
    expect({ exitCode: ended.exitCode, stderr: ended.stderr }).toMatchObject({ exitCode: 0 });
    expect(shared.lines().split("\n").filter(Boolean)).toEqual(["one", "one", "two"]);
  } finally {
    ahead.reconnect();
  }
  // The kernel takes some seconds until packets come through again; until then the program says what it can't reach.
  const shown = await poll(async () => {
    const { exitCode, stdout, stderr } = await ahead.run(shared.url, ["sessions", "show", id], shared.project);
    if (exitCode === 0) return stdout;
    expect(stderr).toContain("can't be reached");
    return undefined;
  }, 60_000);
  expect(shown).toContain("Status:  completed");
  await shared.store.close();
});
