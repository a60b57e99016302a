// SqliteSaver under the journal contract, and the ways to break its file.

import {
  copyFileSync,
  openSync,
  closeSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { closeIdleConnections } from "../../journal/sqlite/connections.ts";
import { loadSqlite } from "../../journal/sqlite/sqlite-library.ts";
import { SqliteSaver } from "../../journal/sqlite/sqlite-saver.ts";
import type { JournalDamage, JournalHarness } from "../contracts/journal-harness.ts";
import { makeFolderReadOnly, makeStorageFolder, removeStorageFolder } from "./storage-folder.ts";

export function sqliteSaverIn(folder: string): SqliteSaver {
  return new SqliteSaver({ path: join(folder, "runs.db") });
}

/** `program` is the command of the child program, without the folder. */
export async function sqliteHarness(program: readonly string[]): Promise<JournalHarness> {
  const folder = makeStorageFolder();
  return {
    store: () => sqliteSaverIn(folder),
    child: [...program, folder],
    limitedChild: [...program, folder],
    damages: damagesOf(join(folder, "runs.db")).map(({ apply, ...damage }) => ({
      ...damage,
      apply: (...args) => {
        closeIdleConnections();
        return apply(...args);
      },
    })),
    makeReadOnly: () => {
      closeIdleConnections();
      const giveBack = makeFolderReadOnly(folder);
      return (
        giveBack &&
        ((): void => {
          closeIdleConnections();
          giveBack();
        })
      );
    },
    dispose: async () => {
      closeIdleConnections();
      removeStorageFolder(folder);
    },
  };
}

function damagesOf(path: string): readonly JournalDamage[] {
  const corrupt = (name: string, mentions: RegExp, apply: JournalDamage["apply"]): JournalDamage => ({
    name,
    code: "JOURNAL_CORRUPT",
    mentions,
    apply,
  });
  const file = /runs\.db/;
  return [
    corrupt("zero bytes", /runs\.db can't be read: the file is empty \(0 bytes\)/, () => truncateSync(path)),
    corrupt("cut off inside the first page", file, () => truncateSync(path, 100)),
    corrupt("cut off after the first page", file, () => truncateSync(path, 4096)),
    corrupt("cut off at half", file, () => truncateSync(path, Math.floor(statSync(path).size / 2))),
    corrupt("filled with zeros", file, () => writeFileSync(path, Buffer.alloc(statSync(path).size))),
    corrupt("header of another format", file, () => overwrite(path, 0, "PK\x03\x04 not a database")),
    corrupt("text in place of a database", file, () => writeFileSync(path, "hello ".repeat(2000))),
    corrupt("database of another program", /another program/, async () => {
      const other = `${path}.other`;
      await change(other, "CREATE TABLE notes (text TEXT)", true);
      copyFileSync(other, path);
    }),
    corrupt("a record missing in the middle", /record 4 is missing.*last good record is 3/, () =>
      change(path, "DELETE FROM appends WHERE first_seq = 4"),
    ),
    corrupt("the first record missing", /record 1 is missing/, () =>
      change(path, "DELETE FROM appends WHERE first_seq = 1"),
    ),
    corrupt("a record changed", /record 4 does not match its checksum.*last good record is 3/, () =>
      change(path, "UPDATE appends SET body = replace(body, '4 ', '5 ') WHERE first_seq = 4"),
    ),
    corrupt("a record emptied", /record 7 does not match its checksum/, () =>
      change(path, "UPDATE appends SET body = '' WHERE first_seq = 7"),
    ),
    corrupt("a byte of a record changed in the file", /record \d+ does not match its checksum/, () => {
      const place = readFileSync(path).indexOf("5 ✓ ");
      overwrite(path, place, "6");
    }),
    {
      name: "a later format",
      code: "JOURNAL_NEWER",
      mentions: /format is 99, and this version reads up to 2/,
      apply: () => change(path, "PRAGMA user_version = 99"),
    },
  ];
}

async function change(path: string, sql: string, create = false): Promise<void> {
  const connection = (await loadSqlite())(path, { create });
  connection.exec(sql);
  connection.close();
}

function overwrite(path: string, position: number, text: string): void {
  const file = openSync(path, "r+");
  writeSync(file, text, position);
  closeSync(file);
}
