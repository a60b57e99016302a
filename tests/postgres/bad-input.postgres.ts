// Databases that can't be used, and those that come and go: each gets one clear refusal without the password in it, and
// no run is harmed.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { PostgresSaver } from "../../src/journal/postgres/postgres-saver.ts";
import { AtomicError } from "../../src/lib/errors.ts";
import { startAnswerLosingProxy } from "./answer-losing-proxy.ts";
import { startPooler } from "./pooler.ts";
import { type PostgresServer, startPostgres } from "./server.ts";
import { serverFolder } from "./shared-server.ts";

setDefaultTimeout(90_000);

/** Its own: it is stopped, filled and made read-only here. */
let server: PostgresServer;
const password = "s3cret-word";
beforeAll(async () => {
  server = await startPostgres(serverFolder());
  await server.sql(`CREATE ROLE someone LOGIN PASSWORD '${password}'`);
  await server.sql("CREATE ROLE pooled LOGIN SUPERUSER");
});
afterAll(() => server.dispose());

async function refusalOf(call: Promise<unknown>): Promise<AtomicError> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!AtomicError.is(thrown)) throw new Error(`expected a refusal, got ${String(thrown)}`);
  const everything = `${thrown.message} ${JSON.stringify(thrown.details)} ${Bun.inspect(thrown)}`;
  expect(everything).not.toContain(password);
  return thrown;
}

const note = { type: "test.noted" };

test.each([
  ["no server", (): string => `postgres://someone:${password}@127.0.0.1:1/x`, "JOURNAL_UNREADABLE", /can't be reached/],
  [
    "no such host",
    (): string => `postgres://someone:${password}@host.invalid/x`,
    "JOURNAL_UNREADABLE",
    /can't be reached/,
  ],
  [
    "a wrong password",
    (): string => server.urlFor("someone", `${password}-wrong`),
    "JOURNAL_UNREADABLE",
    /refuses the login/,
  ],
  ["an unknown user", (): string => server.urlFor("nobody_known", password), "JOURNAL_UNREADABLE", /refuses the login/],
  [
    "an unknown database",
    (): string => server.urlFor("someone", password).replace("/postgres", "/nothing"),
    "JOURNAL_UNREADABLE",
    /does not exist/,
  ],
  [
    "tables that were never made",
    (): string => server.urlFor("someone", password),
    "STORE_NOT_PREPARED",
    /no tables for runs/,
  ],
] as const)("%s is refused with what to do", async (_, url, code, says) => {
  const saver = new PostgresSaver({ url: url(), schema: "missing" });
  for (const call of [() => saver.list(), () => saver.open("run", { mode: "create" })]) {
    const refusal = await refusalOf(call());
    expect({ code: refusal.code, message: refusal.message }).toEqual({ code, message: expect.stringMatching(says) });
  }
  await saver.close();
});

test("tables that the user may not write are refused as such, and a database without the right to prepare too", async () => {
  const owner = new PostgresSaver({ url: server.url, schema: "guarded" });
  await owner.prepare();
  await server.sql("GRANT USAGE ON SCHEMA guarded TO someone; GRANT SELECT ON ALL TABLES IN SCHEMA guarded TO someone");
  const reader = new PostgresSaver({ url: server.urlFor("someone", password), schema: "guarded" });
  expect((await reader.list()).runs).toEqual([]);
  const refusal = await refusalOf(reader.open("run", { mode: "create" }));
  expect(refusal).toMatchObject({ code: "JOURNAL_WRITE_FAILED", retryable: false });
  expect(refusal.message).toContain("does not allow it");
  const unprepared = new PostgresSaver({ url: server.urlFor("someone", password), schema: "not_mine" });
  expect((await refusalOf(unprepared.prepare())).message).toContain("does not allow it");
  for (const saver of [owner, reader, unprepared]) await saver.close();
});

test("a database that became read-only stops a run loudly, keeps what was stored, and can still be read", async () => {
  await server.sql(`CREATE ROLE frozen LOGIN SUPERUSER PASSWORD '${password}'`);
  const saver = new PostgresSaver({ url: server.urlFor("frozen", password), schema: "frozen" });
  await saver.prepare();
  const handle = await saver.open("run", { mode: "create" });
  await handle.append([note]);
  await server.sql("ALTER ROLE frozen SET default_transaction_read_only = on");
  // Its connections end, and the next ones are read-only.
  await server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'frozen'");

  const refusal = await refusalOf(Promise.resolve(handle.append([note])));
  expect(refusal).toMatchObject({ code: "JOURNAL_WRITE_FAILED", details: { lastSeq: 1 } });
  expect(refusal.message).toContain("is read-only");
  expect(await Array.fromAsync(saver.read("run"))).toHaveLength(1);
  await saver.close();
});

test("a database of a later format is refused by every call and not touched", async () => {
  const earlier = new PostgresSaver({ url: server.url, schema: "later" });
  await earlier.prepare();
  await (await earlier.open("run", { mode: "create" })).append([note]);
  await earlier.close();
  await server.sql(`UPDATE later.meta SET format = 7;
    CREATE OR REPLACE FUNCTION later.append_record(bigint, bigint, bigint, bigint, bigint, text, bigint, text, bigint)
      RETURNS bigint LANGUAGE sql AS 'SELECT 7::bigint'`);
  const contents = async (): Promise<unknown> => {
    const sql = new Bun.SQL({ url: server.url, max: 1 });
    const tables = ["meta", "runs", "appends", "snapshots", "requests", "transcripts", "summaries"];
    const rows = await Promise.all(tables.map((table) => sql.unsafe(`SELECT * FROM later.${table}`)));
    const functions = await sql.unsafe("SELECT prosrc FROM pg_proc WHERE pronamespace = 'later'::regnamespace");
    await sql.close();
    return [functions, ...rows];
  };
  const before = await contents();
  const calls: readonly ((saver: PostgresSaver) => Promise<unknown>)[] = [
    (saver) => saver.open("run", { mode: "resume" }),
    (saver) => saver.prepare(),
    (saver) => saver.list(),
    (saver) => saver.info("run"),
    (saver) => Array.fromAsync(saver.read("run")),
    (saver) => saver.request("run", { type: "pause" }),
    (saver) => saver.pending("run"),
    (saver) => saver.remove("run"),
    (saver) => saver.shelf.listRuns(undefined),
    (saver) => saver.shelf.keepSummary("run", 1, "{}"),
    (saver) => saver.shelf.addPiece("run", { source: "s", start: 0, stop: 2, text: "{}" }),
    (saver) => saver.shelf.pieces("run", "0"),
  ];
  const refusals: string[] = [];
  for (const call of calls) {
    const saver = new PostgresSaver({ url: server.url, schema: "later" });
    const refusal = await refusalOf(call(saver));
    refusals.push(`${refusal.code}: ${refusal.message}`);
    await saver.close();
  }
  expect(refusals[0]).toContain("JOURNAL_NEWER");
  expect(refusals).toEqual(calls.map(() => refusals[0] ?? ""));
  expect(await contents()).toEqual(before);
});

test.each(["", "postgres", "http://x/y", "postgres://", `postgres://a:${password}@/x`])(
  "%p is not a valid address",
  (url) => {
    expect(() => new PostgresSaver({ url })).toThrow("looks like postgres://USER:PASSWORD@HOST:5432/DATABASE");
  },
);

test("a schema that could be anything else is refused", () => {
  for (const schema of ["a b", 'x"; DROP TABLE runs', "A", "", "x".repeat(64)])
    expect(() => new PostgresSaver({ url: server.url, schema })).toThrow("schema of a database must be");
});

test("an append waits for a database that is stopped for ten seconds, and is stored once", async () => {
  const saver = new PostgresSaver({ url: server.url, schema: "outage" });
  await saver.prepare();
  const handle = await saver.open("run", { mode: "create" });
  await handle.append([{ ...note, n: 1 }]);
  const requests = handle.requests(new AbortController().signal)[Symbol.asyncIterator]();
  const waiting = requests.next();
  await server.stop();
  const append = handle.append([{ ...note, n: 2 }]);
  const startedAt = performance.now();
  await Bun.sleep(10_000);
  await server.start();
  await append;
  expect(performance.now() - startedAt).toBeGreaterThan(9_000);
  await handle.append([{ ...note, n: 3 }]);
  expect((await Array.fromAsync(saver.read("run"))).map(({ n }) => n)).toEqual([1, 2, 3]);
  expect(handle.lost.aborted).toBe(false);
  // The waiter for requests did not notice it.
  await saver.request("run", { type: "pause" });
  expect((await waiting).value).toMatchObject({ type: "pause" });
  await saver.close();
});

test.each([
  ["with the function that appends", ""],
  ["as an earlier version prepared it", "DROP FUNCTION answers.append_record"],
])("an append whose answer is lost is stored once, and its run stays the owner's: %s", async (_, change) => {
  await using proxy = await startAnswerLosingProxy(server.url);
  await server.sql("DROP SCHEMA IF EXISTS answers CASCADE");
  const saver = new PostgresSaver({ url: proxy.url, schema: "answers" });
  await saver.prepare();
  if (change !== "") await server.sql(change);
  const handle = await saver.open("run", { mode: "create" });
  await handle.append([{ ...note, n: 1 }]);
  proxy.loseAnswerTo("an answer that is lost");
  await handle.append([{ ...note, n: 2, text: "an answer that is lost" }]);
  await handle.append([{ ...note, n: 3 }]);

  expect(proxy.lost).toBe(1);
  expect((await Array.fromAsync(saver.read("run"))).map(({ n }) => n)).toEqual([1, 2, 3]);
  expect(handle.lost.aborted).toBe(false);
  await saver.close();
});

test("an owner that can't reach the database gives its run up before the lease ends", async () => {
  const saver = new PostgresSaver({ url: server.url, schema: "outage", leaseMs: 2_000 });
  await saver.prepare();
  const handle = await saver.open("short", { mode: "create" });
  await handle.append([note]);
  await server.stop();
  const lost = new Promise((resolve) => handle.lost.addEventListener("abort", resolve, { once: true }));
  const append = refusalOf(Promise.resolve(handle.append([note])));
  await lost;
  expect(await append).toMatchObject({ code: "OWNER_LOST" });
  await server.start();
  await saver.close();
});

test("behind a pooler in transaction mode several processes work as without it", async () => {
  await using pooler = await startPooler(server);
  const savers = [1, 2, 3].map((i) => new PostgresSaver({ url: pooler.url, schema: "pooled", leaseMs: 30_000 + i }));
  await savers[0]?.prepare();
  await Promise.all(
    savers.map(async (saver, i) => {
      const handle = await saver.open(`run${i}`, { mode: "create" });
      for (let n = 1; n <= 20; n++) await handle.append([{ ...note, n }], { status: "running", dueAt: undefined });
      await handle.saveSnapshot({ seq: 10, body: i });
      await handle.close();
      expect((await Array.fromAsync(saver.read(`run${i}`))).map(({ n }) => n)).toEqual(
        Array.from({ length: 20 }, (_, k) => k + 1),
      );
    }),
  );
  expect((await savers[0]?.list())?.runs.length).toBe(3);
  expect(pooler.switches()).toBeGreaterThan(20);
  for (const saver of savers) await saver.close();
});

test("machines whose clocks differ by an hour agree on owners and on the order of runs", async () => {
  const saver = new PostgresSaver({ url: server.url, schema: "clocks" });
  await saver.prepare();
  const program = `import { PostgresSaver } from ${JSON.stringify(`${import.meta.dir}/../../src/journal/postgres/postgres-saver.ts`)};
const shift = Number(process.argv[2]);
const real = Date.now;
Date.now = () => real() + shift;
const saver = new PostgresSaver({ url: process.argv[3], schema: "clocks" });
const handle = await saver.open(process.argv[4], { mode: "create" });
await handle.append([{ type: "test.noted" }]);
await handle.close();
await saver.close();
process.exit(0);
`;
  const file = `${process.env["TMPDIR"] ?? "/tmp"}/clock-${process.pid}.ts`;
  await Bun.write(file, program);
  for (const [run, shift] of [
    ["ahead", 3_600_000],
    ["behind", -3_600_000],
    ["right", 0],
  ] as const) {
    const child = Bun.spawnSync([process.execPath, "--no-env-file", file, String(shift), server.url, run]);
    expect(child.stderr.toString()).toBe("");
  }
  const { runs } = await saver.list();
  expect(runs.map(({ run }) => run)).toEqual(["right", "behind", "ahead"]);
  for (const { updatedAt } of runs) expect(Math.abs(updatedAt - Date.now())).toBeLessThan(60_000);
  await saver.close();
});
