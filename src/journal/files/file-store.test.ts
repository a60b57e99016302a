import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../lib/clock.ts";
import type { JournalEvent } from "../port.ts";
import { FileSaver } from "./file-saver.ts";
import {
  formatAccepted,
  formatHeader,
  parseHeader,
  acceptedOffset,
  headerBytes,
  type SegmentHeader,
} from "./segment-header.ts";
import { SessionDirSaver } from "./session-dir-saver.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "atomic-files-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const event = (n: number): JournalEvent => ({ type: "test.noted", n });
const segment = (number: number, run = "run"): string => join(dir, run, `journal-000${number}.jsonl`);

function headerOf(path: string): SegmentHeader {
  const parsed = parseHeader(readFileSync(path, "utf8").split("\n")[0]!);
  if (!("header" in parsed)) throw new Error(`no header in ${path}`);
  return parsed.header;
}

function replaceHeader(path: string, changes: Partial<SegmentHeader>): void {
  const text = formatHeader({ ...headerOf(path), ...changes });
  writeFileSync(path, Buffer.concat([Buffer.from(text), readFileSync(path).subarray(headerBytes)]));
}

/** A run whose owner is a process that is gone, with `count` records. */
async function killedRun(count: number, boot?: string): Promise<void> {
  const handle = await new FileSaver({ dir }).open("run", { mode: "create" });
  for (let n = 1; n <= count; n++) await handle.append([event(n)]);
  const { owner } = headerOf(segment(1));
  const gone = { ...owner.process, started: "1", ...(boot === undefined ? {} : { boot }) };
  replaceHeader(segment(1), { owner: { ...owner, process: gone } });
}

test("FileSaver puts one readable line per append behind a header of fixed width", async () => {
  const handle = await new FileSaver({ dir }).open("run", { mode: "create" });
  await handle.append([event(1), event(2)]);
  await handle.close();

  const lines = readFileSync(segment(1), "utf8").trimEnd().split("\n");
  expect(lines[0]).toHaveLength(headerBytes - 1);
  expect(JSON.parse(lines[1]!)).toMatchObject({ seq: 1, count: 2, events: [event(1), event(2)] });
  expect(headerOf(segment(1)).state).toMatchObject({ isOpen: false, bytes: statSync(segment(1)).size, seq: 2 });
});

test("FileSaver drops what a killed writer left unacknowledged, and notes how much", async () => {
  await killedRun(2);
  writeFileSync(segment(1), '{"seq":3,"count":1,"at":17', { flag: "a" });

  const next = await new FileSaver({ dir }).open("run", { mode: "resume" });

  expect((await Array.fromAsync(next.history)).map(({ n }) => n)).toEqual([1, 2]);
  expect(headerOf(segment(2)).accepted).toMatchObject({ seq: 2, dropped: 26 });
  await next.append([event(3)]);
  await next.close();
  expect((await Array.fromAsync(new FileSaver({ dir }).read("run"))).map(({ n }) => n)).toEqual([1, 2, 3]);
});

test.each([
  ["of an earlier start of the machine", "an earlier boot"],
  ["of a system that does not say when it was started", ""],
])("FileSaver drops a last record %s that a power cut tore, and only that", async (_, boot) => {
  await killedRun(3, boot);
  truncateSync(segment(1), statSync(segment(1)).size - 5);

  const next = await new FileSaver({ dir }).open("run", { mode: "resume" });

  expect((await Array.fromAsync(next.history)).map(({ n }) => n)).toEqual([1, 2]);
  expect(next.lastSeq).toBe(2);
  await next.append([event(3)]);
  await next.close();
  expect((await Array.fromAsync(new FileSaver({ dir }).read("run"))).map(({ n }) => n)).toEqual([1, 2, 3]);
});

test("FileSaver refuses a torn record when there was no power cut, or more is missing than one can tear off", async () => {
  await killedRun(3);
  truncateSync(segment(1), statSync(segment(1)).size - 5);
  const saver = new FileSaver({ dir });
  await expect(saver.open("run", { mode: "resume" })).rejects.toMatchObject({ code: "JOURNAL_CORRUPT" });
  rmSync(join(dir, "run"), { recursive: true });

  await killedRun(3, "an earlier boot");
  truncateSync(segment(1), headerBytes + 10);
  await expect(saver.open("run", { mode: "resume" })).rejects.toMatchObject({ code: "JOURNAL_CORRUPT" });
  expect(readdirSync(join(dir, "run"))).toEqual(["journal-0001.jsonl"]);
});

test("FileSaver continues after an owner that died before it had accepted the previous segment", async () => {
  await killedRun(2);
  const taken = await new FileSaver({ dir }).open("run", { mode: "resume" });
  expect(taken.lastSeq).toBe(2);
  const { owner } = headerOf(segment(2));
  replaceHeader(segment(2), {
    owner: { ...owner, process: { ...owner.process, started: "1" } },
    accepted: "pending",
    state: { ...headerOf(segment(2)).state, seq: 0, baseSeq: 0 },
  });

  const next = await new FileSaver({ dir }).open("run", { mode: "resume" });
  await next.append([event(3)]);
  await next.close();

  expect((await Array.fromAsync(new FileSaver({ dir }).read("run"))).map(({ n }) => n)).toEqual([1, 2, 3]);
  expect(headerOf(segment(2)).accepted).toMatchObject({ seq: 2 });
  expect(readFileSync(segment(2), "utf8").slice(acceptedOffset)).toStartWith(
    formatAccepted({ bytes: statSync(segment(1)).size, seq: 2, dropped: 0 }),
  );
});

test("FileSaver notifies an owner that is replaced in the middle of an append", async () => {
  let takeOver = (): void => {};
  const clock = { ...systemClock, now: () => (takeOver(), Date.now()) };
  const old = await new FileSaver({ dir, clock }).open("run", { mode: "create" });
  await old.append([event(1)]);
  let opening: ReturnType<FileSaver["open"]> | undefined;
  // The clock is read after the owner was checked and before anything is written.
  takeOver = () => {
    takeOver = () => {};
    opening = new FileSaver({ dir }).open("run", { mode: "resume", takeOver: true });
  };

  expect(() => old.append([event(2)])).toThrow(expect.objectContaining({ code: "OWNER_LOST" }));

  const current = await opening!;
  await current.append([event(2)]);
  await current.close();
  expect((await Array.fromAsync(new FileSaver({ dir }).read("run"))).map(({ n }) => n)).toEqual([1, 2]);
});

test("FileSaver finds its place after a snapshot that is older than the last record", async () => {
  const handle = await new FileSaver({ dir }).open("run", { mode: "create" });
  for (let n = 1; n <= 600; n++) await handle.append([event(n)]);
  for (const seq of [10, 300, 520]) await handle.saveSnapshot({ seq, body: seq });
  await handle.close();
  expect(readdirSync(join(dir, "run", "checkpoints")).toSorted()).toEqual([
    "snapshot-000000000300.json",
    "snapshot-000000000520.json",
  ]);

  for (const seq of [520, 300]) {
    const next = await new FileSaver({ dir }).open("run", { mode: "resume" });
    expect(next.snapshot).toEqual({ seq, body: seq });
    expect((await Array.fromAsync(next.history)).map(({ n }) => n)).toEqual(
      Array.from({ length: 600 - seq }, (_, i) => seq + 1 + i),
    );
    await next.close();
    // Torn, so that the one before is used.
    truncateSync(join(dir, "run", "checkpoints", `snapshot-000000000${seq}.json`), 30);
  }
  const last = await new FileSaver({ dir }).open("run", { mode: "resume" });
  expect(last.snapshot).toBeUndefined();
  expect(await Array.fromAsync(last.history)).toHaveLength(600);
  await last.close();
});

test("FileSaver stops when its file is deleted under it", async () => {
  const handle = await new FileSaver({ dir }).open("run", { mode: "create" });
  await handle.append([event(1)]);
  rmSync(join(dir, "run"), { recursive: true });
  expect(() => handle.append([event(2)])).toThrow(expect.objectContaining({ code: "JOURNAL_WRITE_FAILED" }));
  await handle.close();
});

test("FileSaver refuses segments whose numbers go back", async () => {
  const saver = new FileSaver({ dir });
  for (const mode of ["create", "resume", "resume"] as const) {
    const handle = await saver.open("run", { mode });
    await handle.append([event(1)]);
    await handle.close();
  }
  replaceHeader(segment(3), { accepted: { bytes: headerBytes, seq: 0, dropped: 0 } });
  await expect(saver.open("run", { mode: "resume" })).rejects.toMatchObject({ code: "JOURNAL_CORRUPT" });
  await expect(Array.fromAsync(saver.read("run"))).rejects.toMatchObject({ code: "JOURNAL_CORRUPT" });
});

test("FileSaver does not remove a damaged run that still has an owner", async () => {
  const saver = new FileSaver({ dir });
  await (await saver.open("run", { mode: "create" })).close();
  const handle = await saver.open("run", { mode: "resume" });
  truncateSync(segment(1));
  await expect(saver.remove("run")).rejects.toMatchObject({ code: "RUN_OWNED" });
  await handle.close();
  await saver.remove("run");
  expect(readdirSync(dir)).toEqual([]);
});

test("FileSaver lists a run that can't be read with its problem, next to the others", async () => {
  for (const run of ["bad", "good", "linked"])
    await (await new FileSaver({ dir }).open(run, { mode: "create" })).close();
  truncateSync(segment(1, "bad"));
  rmSync(join(dir, "linked"), { recursive: true });
  symlinkSync(join(dir, "good"), join(dir, "linked"));
  mkdirSync(join(dir, "empty"));
  writeFileSync(join(dir, "file"), "");

  const { runs: list } = await new FileSaver({ dir }).list();

  expect(list.map(({ run, problem }) => [run, problem?.slice(0, 20)])).toEqual([
    ["good", undefined],
    ["bad", "Run bad is damaged. "],
    ["file", "Run file is damaged."],
    ["linked", "Run linked is damage"],
  ]);
  for (const run of ["bad", "linked"]) await new FileSaver({ dir }).remove(run);
  expect(readdirSync(dir).toSorted()).toEqual(["empty", "file", "good"]);
  expect((await new FileSaver({ dir }).info("good")).lastSeq).toBe(0);
});

test("SessionDirSaver keeps its files apart from the session's, and removes only its own", async () => {
  const session = join(dir, "sessions", "run");
  mkdirSync(join(session, "checkpoints"), { recursive: true });
  writeFileSync(join(session, "session.json"), "{}");
  const saver = new SessionDirSaver({ dir: () => session });
  expect(await saver.list()).toEqual({ runs: [], next: undefined });

  const handle = await saver.open("run", { mode: "create" });
  await handle.append([event(1)]);
  await handle.saveSnapshot({ seq: 1, body: null });
  await saver.request("run", { type: "pause" });
  await handle.close();

  expect(readdirSync(session).toSorted()).toEqual(["checkpoints", "journal-0001.jsonl", "requests", "session.json"]);
  expect(readdirSync(join(session, "checkpoints"))).toEqual(["snapshot-000000000001.json"]);
  expect((await saver.list()).runs.map(({ run }) => run)).toEqual(["run"]);
  await saver.remove("run");
  expect(readdirSync(session)).toEqual(["session.json"]);
  expect(existsSync(join(dir, "sessions"))).toBe(true);
});
