// `atomic/workflows/sqlite`: the SQLite journal, separate because it needs Bun or Node 22.5. Importing it always works;
// using it without SQLite throws SQLITE_UNAVAILABLE.

export { SqliteSaver, type SqliteSaverOptions } from "../journal/sqlite/sqlite-saver.ts";
