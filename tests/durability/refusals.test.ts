// What can't be read back whole is refused, with what to do about it, and never taken for an empty run: nothing runs,
// nothing is changed, and once the damage is repaired the run resumes as if nothing had happened.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { closeIdleConnections } from "../../src/journal/sqlite/connections.ts";
import type { ErrorCode } from "../../src/lib/errors.ts";
import { graph } from "../../src/workflows/graph/build/builder.ts";
import { executeGraph } from "../../src/workflows/graph/run/execute.ts";
import type { ExecutionResult } from "../../src/workflows/graph/run/execute-options.ts";
import { createNode } from "../../src/workflows/graph/nodes/create-node.ts";
import { annotation, type BaseState, Reducers } from "../../src/workflows/graph/model/state.ts";
import { collect } from "../support/graph-kit.ts";
import { openStore, runId, type StoreName } from "./matrix/child.ts";

interface LogState extends BaseState {
  log: string[];
}

const annotations = { log: annotation<string[]>([], Reducers.concat) };

let folder: string;
let ran: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "atomic-refusals-"));
  ran = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const say = (id: string) =>
  createNode<LogState>({
    id,
    execute: () => {
      ran.push(id);
      return { stateUpdate: { log: [id] } };
    },
  });

function workflow(...extra: string[]) {
  const built = graph(annotations).start(say("a")).then(say("b")).wait("Go on?").then(say("c"));
  for (const id of extra) built.then(say(id));
  return built.compile({ name: "refusals" });
}

function resume(store: StoreName, of = workflow()): Promise<ExecutionResult<LogState>> {
  const journal = { store: openStore(store, folder), run: runId, resume: true };
  return executeGraph(of, { journal, answers: { "Go on?": true } });
}

async function pausedRun(store: StoreName): Promise<void> {
  // Small steps between snapshots, so that there is one, and records after it.
  const journal = { store: openStore(store, folder), run: runId };
  const { status } = await executeGraph(workflow(), { journal, snapshotEvery: 1 });
  expect({ status, ran }).toEqual({ status: "paused", ran: ["a", "b"] });
  closeIdleConnections();
  ran = [];
}

interface Damage {
  readonly name: string;
  readonly code: ErrorCode;
  /** What the message must say so that the user can continue. */
  readonly says: RegExp;
  apply(): void;
}

const database = (): string => join(folder, "runs.db");
const segment = (): string => join(folder, runId, "journal-0001.jsonl");

function flip(path: string, place: number): void {
  const bytes = readFileSync(path);
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

function sql(text: string): void {
  const connection = new Database(database());
  connection.exec(text);
  connection.close();
}

const damages: Readonly<Record<StoreName, readonly Damage[]>> = {
  files: [
    {
      name: "the last record torn",
      code: "JOURNAL_CORRUPT",
      says: /journal-0001\.jsonl.*cut off.*last good record is \d.*[Rr]estore.*remove the run/,
      apply: () => truncateSync(segment(), statSync(segment()).size - 5),
    },
    {
      name: "half of the file gone",
      code: "JOURNAL_CORRUPT",
      says: /cut off.*[Rr]estore/,
      apply: () => truncateSync(segment(), Math.floor(statSync(segment()).size / 2)),
    },
    {
      name: "zero bytes",
      code: "JOURNAL_CORRUPT",
      says: /empty \(0 bytes\).*[Rr]estore/,
      apply: () => truncateSync(segment()),
    },
    {
      name: "one bit of the last record changed",
      code: "JOURNAL_CORRUPT",
      says: /checksum|not JSON|does not match/,
      apply: () => flip(segment(), statSync(segment()).size - 20),
    },
    {
      name: "no file at all",
      code: "RUN_NOT_FOUND",
      says: /There is no run run in /,
      apply: () => rmSync(join(folder, runId), { recursive: true }),
    },
    {
      name: "a later version",
      code: "JOURNAL_NEWER",
      says: /format 9.*reads up to 1\. Update/,
      apply: () => writeFileSync(segment(), '{"format":9}\n'),
    },
  ],
  sqlite: [
    {
      name: "the file cut off",
      code: "JOURNAL_CORRUPT",
      says: /runs\.db.*[Rr]estore/,
      apply: () => truncateSync(database(), Math.floor(statSync(database()).size / 2)),
    },
    {
      name: "zero bytes",
      code: "JOURNAL_CORRUPT",
      says: /empty \(0 bytes\)/,
      apply: () => truncateSync(database()),
    },
    {
      name: "nothing but zeros",
      code: "JOURNAL_CORRUPT",
      says: /runs\.db/,
      apply: () => writeFileSync(database(), Buffer.alloc(statSync(database()).size)),
    },
    {
      name: "the last record changed",
      code: "JOURNAL_CORRUPT",
      says: /record \d+ does not match its checksum.*last good record is \d/,
      apply: () =>
        sql(
          "UPDATE appends SET body = replace(body, 'run.paused', 'run.started') WHERE id = (SELECT max(id) FROM appends)",
        ),
    },
    {
      name: "no file at all",
      code: "RUN_NOT_FOUND",
      says: /There is no run run in /,
      apply: () => rmSync(database()),
    },
    {
      name: "a later version",
      code: "JOURNAL_NEWER",
      says: /format is 9.*reads up to 2/,
      apply: () => sql("PRAGMA user_version = 9"),
    },
  ],
};

describe.each(["files", "sqlite"] as const)("a run on %s", (store) => {
  for (const { name, code, says, apply } of damages[store]) {
    test(`with ${name} is refused, runs nothing, and resumes once it is repaired`, async () => {
      await pausedRun(store);
      const backup = `${folder}.backup`;
      cpSync(folder, backup, { recursive: true });
      apply();
      const damaged = contentsOf(folder);

      await expect(resume(store)).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
      // A second look finds the same: the first one changed nothing.
      await expect(resume(store)).rejects.toMatchObject({ code });
      expect(ran).toEqual([]);
      if (store === "files") expect(contentsOf(folder)).toEqual(damaged);

      rmSync(folder, { recursive: true });
      cpSync(backup, folder, { recursive: true });
      rmSync(backup, { recursive: true });
      expect(await resume(store)).toMatchObject({ status: "completed", state: { log: ["a", "b", "c"] } });
      expect(ran).toEqual(["c"]);
    });
  }

  test("of a graph that has changed is refused with what changed, and resumes with the old one", async () => {
    await pausedRun(store);

    await expect(resume(store, workflow("d"))).rejects.toMatchObject({
      code: "GRAPH_CHANGED",
      message: expect.stringMatching(/"refusals" has changed.*node "tool d" is new; edge "c -> d" is new.*Put it back/),
    });
    expect(ran).toEqual([]);
    expect(await resume(store)).toMatchObject({ status: "completed", state: { log: ["a", "b", "c"] } });
  });

  test("whose snapshots are lost or unreadable resumes from its records alone", async () => {
    await pausedRun(store);
    if (store === "sqlite") sql("UPDATE snapshots SET body = '{}'");
    else {
      const checkpoints = join(folder, runId, "checkpoints");
      const names = readdirSync(checkpoints);
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) writeFileSync(join(checkpoints, name), "");
    }

    expect(await resume(store)).toMatchObject({ status: "completed", state: { log: ["a", "b", "c"] } });
    expect(ran).toEqual(["c"]);
  });

  test("that is completed gives its recorded result, and runs nothing", async () => {
    await pausedRun(store);
    const first = await resume(store);
    const records = await collect(openStore(store, folder).read(runId));
    ran = [];

    expect(await resume(store)).toEqual(first);
    expect(ran).toEqual([]);
    expect(await collect(openStore(store, folder).read(runId))).toEqual(records);
  });

  test("that was cancelled is not resumed", async () => {
    await pausedRun(store);
    await openStore(store, folder).request(runId, { type: "cancel" });
    expect(await resume(store)).toMatchObject({ status: "cancelled" });

    await expect(resume(store)).rejects.toMatchObject({
      code: "RUN_FINISHED",
      message: expect.stringContaining("Start a new run"),
    });
    expect(ran).toEqual([]);
  });
});

function contentsOf(path: string): Record<string, string> {
  if (!existsSync(path)) return {};
  const files = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(path, name)).isFile(),
  );
  return Object.fromEntries(files.toSorted().map((name) => [name, readFileSync(join(path, name)).toString("base64")]));
}
