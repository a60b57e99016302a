// The stores in folders under the journal contract, and the ways to break their files.

import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { FileSaver } from "../../journal/files/file-saver.ts";
import { ResearchDirSaver } from "../../journal/files/research-dir-saver.ts";
import { headerBytes } from "../../journal/files/segment-header.ts";
import { SessionDirSaver } from "../../journal/files/session-dir-saver.ts";
import type { JournalStore } from "../../journal/port.ts";
import { checksum } from "../../lib/checksum.ts";
import type { JournalDamage, JournalHarness } from "../contracts/journal-harness.ts";
import { makeFolderReadOnly, makeStorageFolder, removeStorageFolder } from "./storage-folder.ts";

export type FileStoreKind = "file" | "session" | "research";

export function fileStoreIn(kind: FileStoreKind, folder: string): JournalStore {
  switch (kind) {
    case "file":
      return new FileSaver({ dir: folder });
    case "session":
      return new SessionDirSaver({ dir: (run) => join(folder, run), runs: () => readdirSync(folder) });
    case "research":
      return new ResearchDirSaver({ dir: folder });
  }
}

/** `program` is the command of the child program, without the folder. */
export async function fileHarness(kind: FileStoreKind, program: readonly string[]): Promise<JournalHarness> {
  const folder = makeStorageFolder();
  return {
    store: () => fileStoreIn(kind, folder),
    child: [...program, folder],
    limitedChild: [...program, folder],
    damages: damagesOf(folder),
    makeReadOnly: () => makeFolderReadOnly(folder),
    dispose: async () => removeStorageFolder(folder),
  };
}

/** The run has two segments: records 1 and 4 in the first, record 7 in the second; each holds three events. */
function damagesOf(folder: string): readonly JournalDamage[] {
  const segment = (number: number): string => join(folder, "run", `journal-000${number}.jsonl`);
  const corrupt = (name: string, mentions: RegExp, apply: JournalDamage["apply"]): JournalDamage => ({
    name,
    code: "JOURNAL_CORRUPT",
    mentions,
    apply,
  });
  const [first, second] = [segment(1), segment(2)];
  const inFirst = (what: string): RegExp => new RegExp(`journal-0001\\.jsonl: .*${what}`);
  const inSecond = (what: string): RegExp => new RegExp(`journal-0002\\.jsonl: .*${what}`);
  return [
    corrupt("zero bytes", inFirst("empty \\(0 bytes\\)"), () => truncateSync(first)),
    corrupt("the last segment of zero bytes", inSecond("empty \\(0 bytes\\)"), () => truncateSync(second)),
    corrupt("cut off inside the header", inFirst("header is not JSON"), () => truncateSync(first, 300)),
    corrupt("cut off after the header", inFirst("cut off.*last good record is 0; it ends at byte 1024"), () =>
      truncateSync(first, headerBytes),
    ),
    corrupt("cut off by one byte", inSecond("1 of its \\d+ acknowledged bytes.*last good record is 6"), () =>
      truncateSync(second, statSync(second).size - 1),
    ),
    corrupt("cut off between two records", inFirst("cut off.*last good record is 3"), () =>
      truncateSync(first, recordStart(first, 1)),
    ),
    corrupt("filled with zeros", inFirst("NUL bytes"), () => writeFileSync(first, Buffer.alloc(statSync(first).size))),
    corrupt("NUL bytes in a record", inFirst("record 4 .*NUL bytes.*last good record is 3"), () =>
      overwrite(first, recordStart(first, 1) + 30, "\0\0\0\0"),
    ),
    corrupt("a byte of a record changed", inFirst("record 1 .*checksum.*last good record is 0"), () =>
      overwrite(first, readFileSync(first).indexOf("2 ✓"), "3"),
    ),
    corrupt("a newline in a record", inFirst("record 4 "), () => overwrite(first, recordStart(first, 1) + 30, "\n")),
    corrupt("a record missing", inFirst("record 1 is missing; record 4 is in its place"), () => swapRecords(first)),
    corrupt("the acknowledged length changed", inFirst("acknowledged length"), () => overwrite(first, 20, "7")),
    corrupt("the owner changed", inFirst("header does not match"), () =>
      overwrite(first, readFileSync(first).indexOf('"since":1') + 8, "2"),
    ),
    corrupt("the first segment missing", /journal-0001\.jsonl: the file is missing/, () => rmSync(first)),
    corrupt("all segments missing next to checkpoints", /journal-0001\.jsonl: the file is missing/, () => {
      for (const path of [first, second]) rmSync(path);
      mkdirSync(join(folder, "run", "checkpoints"));
      writeFileSync(join(folder, "run", "checkpoints", "snapshot-000000000006.json"), "{}");
    }),
    corrupt("a segment of another run", inFirst("belongs to run other"), () => editHeader(first, { run: "other" })),
    corrupt("two segments exchanged", inFirst("segment 2 under the name of segment 1"), () => exchange(first, second)),
    corrupt("a link in place of a segment", inFirst("symbolic link"), () => {
      renameSync(first, `${first}.real`);
      symlinkSync(`${first}.real`, first);
    }),
    corrupt("a folder in place of a segment", inSecond("not a plain file"), () => {
      rmSync(second);
      mkdirSync(second);
    }),
    corrupt("a link in place of the run's folder", /run: it is a symbolic link/, () => {
      renameSync(join(folder, "run"), join(folder, ".elsewhere"));
      symlinkSync(join(folder, ".elsewhere"), join(folder, "run"));
    }),
    corrupt("a link in place of the checkpoints", /checkpoints: it is a symbolic link/, () =>
      symlinkSync(folder, join(folder, "run", "checkpoints")),
    ),
    {
      name: "a later format",
      code: "JOURNAL_NEWER",
      mentions: /journal-0002\.jsonl has format 2, and this version reads up to 1/,
      apply: () => editHeader(second, { format: 2 }),
    },
    {
      name: "a later format with a different header",
      code: "JOURNAL_NEWER",
      mentions: /has format 3/,
      apply: () => writeFileSync(second, '{"format":3}\nanything'),
    },
  ];
}

function recordStart(path: string, index: number): number {
  let start = headerBytes;
  for (let i = 0; i < index; i++) start = readFileSync(path).indexOf("\n", start) + 1;
  return start;
}

function overwrite(path: string, position: number, text: string): void {
  const file = openSync(path, "r+");
  writeSync(file, text, position);
  closeSync(file);
}

/** The second record before the first: every line is intact, but the numbers are out of order. */
function swapRecords(path: string): void {
  const bytes = readFileSync(path);
  const middle = recordStart(path, 1);
  writeFileSync(
    path,
    Buffer.concat([bytes.subarray(0, headerBytes), bytes.subarray(middle), bytes.subarray(headerBytes, middle)]),
  );
}

/** Changes the header and gives it a correct checksum. */
function editHeader(path: string, changes: object): void {
  const text = readFileSync(path, "utf8");
  const {
    state,
    accepted,
    index,
    crc: _,
    ...fixed
  } = JSON.parse(text.slice(0, text.indexOf("\n"))) as Record<string, unknown>;
  const inner = JSON.stringify({ ...fixed, ...changes }).slice(1, -1);
  const line = `${JSON.stringify({ state, accepted, index }).slice(0, -1)},${inner},"crc":"${checksum(inner)}"}`;
  writeFileSync(path, `${line.padEnd(headerBytes - 1)}\n${text.slice(headerBytes)}`);
}

function exchange(first: string, second: string): void {
  renameSync(first, `${first}.held`);
  renameSync(second, first);
  renameSync(`${first}.held`, second);
}
