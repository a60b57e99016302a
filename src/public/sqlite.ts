// `atomic/workflows/sqlite`: the SQLite journal, apart because it needs Bun or Node 22.5. It imports anywhere, and
// refuses with SQLITE_UNAVAILABLE when it is used where there is no SQLite.

export { SqliteSaver, type SqliteSaverOptions } from "../journal/sqlite/sqlite-saver.ts";
