// What must not go wrong when the command line gets garbage, links, full disks and secrets.

import { expect, setDefaultTimeout, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CliWorld, createCliWorld, patienceMs } from "./cli-world.ts";

setDefaultTimeout(patienceMs);

function makeWorld(): CliWorld & { readonly tell: readonly string[]; start1: () => Promise<string> } {
  const world = createCliWorld();
  world.workflow("tell", `export const name = "tell";\nexport const description = "One turn";\n`);
  const script = world.script("hang", [
    { match: "wait", steps: [{ say: "x" }, { fail: { kind: "auth", message: "log in" } }] },
    { steps: [{ say: "ok" }] },
  ]);
  const tell = ["run", "tell", "--script", script];
  return {
    ...world,
    tell,
    /** A run that can be resumed. */
    async start1() {
      const run = await world.run([...tell, "wait", "--json"]);
      expect(run.exitCode).toBe(4);
      return run.events()[0]?.runId ?? "";
    },
  };
}

const badIds = [
  "",
  "..",
  "../../etc/passwd",
  "not-an-id",
  "*",
  "%2e%2e",
  "a1b2c3d4-e5f6-7890-abcd-ef123456789g",
  "a".repeat(5000),
  "\u001b[31m",
  "$(touch x)",
];

test("anything that is not an id is refused before a file is touched", async () => {
  const world = makeWorld();
  for (const id of badIds) {
    const forms = [
      ["resume", "--", id],
      ["run", "tell", "--resume", id],
      ["ralph", "--resume", id],
      ["pause", "--", id],
      ["sessions", "show", "--", id],
      ["sessions", "rm", "--", id],
      ["answer", "--", id, "x"],
    ];
    // One form each, all forms once: each start costs a process.
    const words = forms[badIds.indexOf(id) % forms.length] ?? [];
    const run = await world.run(words);
    expect([words, run.exitCode]).toEqual([words, 2]);
    expect(run.stderr).toContain("RUN_ID_INVALID");
    expect(run.stderr).not.toContain("\u001b");
    expect(run.stderr.length).toBeLessThan(600);
  }
  expect(existsSync(world.atomicHome + "/workflows/sessions")).toBe(false);
  expect(readdirSync(world.project)).toEqual([]);
});

test("an id that no run has, and a run of another workflow, are named", async () => {
  const world = makeWorld();
  const id = await world.start1();
  const unknown = await world.run(["resume", "00000000-0000-4000-8000-000000000000"]);
  expect(unknown.exitCode).toBe(1);
  expect(unknown.stderr).toContain("RUN_NOT_FOUND");
  const other = await world.run(["ralph", "--resume", id]);
  expect(other.exitCode).toBe(2);
  expect(other.stderr).toContain("is of the workflow tell, not of ralph");
  const prompt = await world.run(["run", "tell", "something else", "--resume", id]);
  expect(prompt.exitCode).toBe(2);
  expect(prompt.stderr).toContain("keeps its prompt");
});

test("a session folder, a journal or a log that is a symbolic link is refused, and its target untouched", async () => {
  const world = makeWorld();
  for (const part of ["", "journal.sqlite", "logs"]) {
    const id = await world.start1();
    const place = join(world.sessions, id, part);
    const target = join(world.root, `target-${part}`);
    renameSync(place, target);
    symlinkSync(target, place);
    const others =
      part === ""
        ? [
            ["sessions", "show", id],
            ["answer", id, "x"],
          ]
        : [];
    for (const words of [["resume", id], ["sessions", "rm", id], ...others]) {
      const run = await world.run(words);
      expect([words, run.exitCode]).toEqual([words, 1]);
      expect(run.stderr).toContain("is a symbolic link");
    }
    expect(existsSync(target)).toBe(true);
    const list = await world.run(["sessions"]);
    expect(list.exitCode).toBe(0);
    expect(list.stdout).toContain("unreadable");
    rmSync(place, { recursive: true });
  }
});

test("a journal that is torn is never read as an empty run", async () => {
  const world = makeWorld();
  const id = await world.start1();
  writeFileSync(
    join(world.sessions, id, "journal.sqlite"),
    "garbage that is not a database at all, and long enough to be read",
  );
  const run = await world.run(["resume", id]);

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toMatch(/JOURNAL_(CORRUPT|UNREADABLE)/);
  expect((await world.run(["sessions", "--json"])).stdout).toContain("unreadable");
});

test("a home that can't be written says what to do, and starts nothing", async () => {
  const world = makeWorld();
  world.write("blocked", "a file where a folder should be");
  const run = await world.run([...world.tell, "x"], {
    env: { ATOMIC_SESSIONS_DIR: join(world.root, "blocked", "sessions") },
  });

  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain("JOURNAL_WRITE_FAILED");
  expect(run.stderr).toContain("ATOMIC_HOME");
  expect((await world.run(["sessions"], { env: { ATOMIC_HOME: "relative" } })).stderr).toContain("absolute");
});

test.skipIf(!canMount())("a home on a read-only disk says what to do, and starts nothing", async () => {
  const world = makeWorld();
  const disk = join(world.root, "readonly");
  mkdirSync(disk);
  mount(["-t", "tmpfs", "-o", "ro", "tmpfs", disk]);
  try {
    const run = await world.run([...world.tell, "x"], { env: { ATOMIC_SESSIONS_DIR: join(disk, "sessions") } });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("JOURNAL_WRITE_FAILED");
    expect(run.stderr).toContain("read-only");
  } finally {
    unmount(disk);
  }
});

test("ATOMIC_HOME and the setting sessions.dir move the sessions", async () => {
  const world = makeWorld();
  const moved = join(world.root, "moved");
  mkdirSync(join(moved, "workflows"), { recursive: true });
  writeFileSync(join(moved, "workflows", "tell.ts"), readFileSync(join(world.atomicHome, "workflows", "tell.ts")));
  const [started] = (await world.run([...world.tell, "x", "--json"], { env: { ATOMIC_HOME: moved } })).events();
  expect(String(started?.["sessionDir"])).toStartWith(join(moved, "workflows", "sessions"));
  const [inProject] = (
    await world.run([...world.tell, "x", "--json"], { env: { ATOMIC_SESSIONS_DIR: ".ralph/sessions" } })
  ).events();
  expect(String(inProject?.["sessionDir"])).toStartWith(join(world.project, ".ralph", "sessions"));
});

test("values of secret-looking variables reach no file, no event and no line", async () => {
  const world = makeWorld();
  const secret = "s3cr3t-value-of-a-token";
  const script = world.script("leak", [
    {
      steps: [
        { say: `the token is ${secret} ` },
        { bash: "echo $MY_TOKEN" },
        { ask: { question: `Is it ${secret}?` }, as: "it" },
        { fail: { kind: "auth", message: `bad key ${secret}` } },
      ],
    },
  ]);
  const env = { MY_TOKEN: secret };
  const words = [
    "run",
    "tell",
    `use ${secret}`,
    "--script",
    script,
    "--verify",
    `check ${secret}`,
    "--answer",
    `Is it ${secret}?=${secret}`,
  ];
  const json = await world.run([...words, "--json", "--deltas", "--record", join(world.root, "record.jsonl")], { env });
  const text = await world.run(words, { env });
  const id = json.events()[0]?.runId ?? "";
  const looked = await Promise.all(
    [
      ["sessions", "show", id],
      ["sessions", "logs", id],
      ["sessions", "--json"],
    ].map((each) => world.run(each)),
  );

  expect(json.exitCode).toBe(4);
  for (const { stdout, stderr } of [json, text, ...looked]) {
    expect(stdout).not.toContain(secret);
    expect(stderr).not.toContain(secret);
    expect(stderr).not.toContain("was not used");
  }
  expect(json.stdout).toContain("[masked MY_TOKEN]");
  for (const file of [
    ...new Bun.Glob("**/*").scanSync({ cwd: world.atomicHome, dot: true, absolute: true }),
    join(world.root, "record.jsonl"),
  ])
    expect([file, readFileSync(file).includes(secret)]).toEqual([file, false]);
});

test("text of agents can't drive the terminal", async () => {
  const world = makeWorld();
  const script = world.script("ansi", [{ steps: [{ say: "\u001b[2J\u001b]0;title\u0007\u202eevil" }] }]);
  const run = await world.run(["run", "tell", "x \u001b[31m", "--script", script]);

  expect(run.exitCode).toBe(0);
  for (const character of ["\u001b", "\u0007", "\u202e"]) expect(run.stdout + run.stderr).not.toContain(character);
  expect((await world.run(["sessions", "show"])).stdout).not.toContain("\u001b");
});

test.skipIf(!canMount())(
  "a full disk stops the run with the reason and the next step, and it resumes when there is room",
  async () => {
    const world = makeWorld();
    const disk = join(world.root, "disk");
    mkdirSync(disk);
    mount(["-t", "tmpfs", "-o", "size=900k", "tmpfs", disk]);
    try {
      world.workflow(
        "fill",
        `import { createNode, graph } from "atomic/workflows";
export const name = "fill"; export const description = "Fills the disk"; export const prompt = "none";
const fill = createNode({ id: "fill", execute: async (ctx) => {
  for (let n = 0; n < 400; n++) await ctx.step("write " + n, () => "x".repeat(4000));
  return {};
} });
export default () => graph().start(fill);
`,
      );
      const env = { ATOMIC_SESSIONS_DIR: join(disk, "sessions") };
      const full = await world.run(["run", "fill", "--script", world.tell[3] ?? "", "--json"], { env });
      const id = full.events()[0]?.runId ?? "";
      expect(full.exitCode).toBe(1);
      expect(full.stderr).toContain("JOURNAL_WRITE_FAILED");
      expect(full.stderr).toContain(`Resume with: atomic resume ${id}`);
      mount(["-o", "remount,size=20m", disk]);
      const resumed = await world.run(["resume", id, "--json"], { env });
      expect(resumed.exitCode).toBe(0);
      const steps = (await world.run(["sessions", "logs", id, "--json"], { env }))
        .events()
        .filter(({ type }) => type === "step.finished");
      expect(new Set(steps.map(({ step }) => step)).size).toBe(400);
      expect(steps).toHaveLength(400);
    } finally {
      unmount(disk);
    }
  },
);

/** Only root may, and not in every container. */
function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "atomic-mount-"));
  const isMounted = mount(["-t", "tmpfs", "tmpfs", folder]);
  if (isMounted) unmount(folder);
  rmSync(folder, { recursive: true });
  return isMounted;
}

function mount(words: readonly string[]): boolean {
  return Bun.spawnSync(["mount", ...words], { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } }).success;
}

function unmount(folder: string): void {
  Bun.spawnSync(["umount", "-l", folder], { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } });
}

test("a current folder that is gone is reported, and not as an internal error", async () => {
  const { env, root } = createCliWorld();
  // As one file, Bun refuses to start there, with its own message.
  const program = join(import.meta.dir, "../../bin/atomic");
  // No child can be started in a folder that is gone: it goes after that.
  const folder = mkdtempSync(join(root, "gone-"));
  const run = Bun.spawn(["/bin/sh", "-c", 'rmdir "$PWD" && exec "$0" workflows', program], {
    cwd: folder,
    env,
    stderr: "pipe",
  });
  expect(await new Response(run.stderr).text()).toContain("The current folder is gone");
  expect(await run.exited).toBe(2);
});

test("a file in the place of the program's folder is named, and not reported as an internal error", async () => {
  const world = createCliWorld();
  world.write("home/.atomic", "in the way");
  const { stdout, stderr } = await world.run(["doctor"]);
  expect(stderr + stdout).not.toContain("should not happen");
  expect(stderr + stdout).toContain("trust.json can't be used");
});
