// Reading a database where nothing can be written: a read-only disk, a folder of another user. SQLite creates files
// beside a database in WAL mode even to read it. A database without a -wal file can't change there, so it is opened as
// immutable; one that a killed process left with a -wal file is read from a copy.

import { accessSync, constants, copyFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../../lib/atomic-file.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import { makeTempFolder } from "../../lib/temp-folder.ts";
import type { Connection, OpenSqlite } from "./sqlite-library.ts";

const refusals: ReadonlySet<string | undefined> = new Set(["EROFS", "EACCES", "EPERM"]);

/** Whether the folder of the database refuses new files. */
export function isReadOnlyFolder(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch (thrown) {
    if (refusals.has(systemCode(thrown))) return true;
    throw thrown;
  }
}

/** Nothing that is written to the connection is kept. */
export function openReadOnly(path: string, sqlite: OpenSqlite): Connection {
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return wal === undefined || wal.size === 0 ? sqlite(path, { immutable: true }) : openCopy(path, sqlite);
}

function openCopy(path: string, sqlite: OpenSqlite): Connection {
  const folder = makeTempFolder("read");
  try {
    const copy = join(folder, basename(path));
    for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, copy + suffix);
    const connection = sqlite(copy, { create: false });
    return {
      ...connection,
      close() {
        connection.close();
        removeFolder(folder);
      },
    };
  } catch (thrown) {
    removeFolder(folder);
    throw thrown;
  }
}
