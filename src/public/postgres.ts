// `atomic/workflows/postgres`: runs in PostgreSQL, for any number of machines. Uses Bun's own client, and on Node the
// package `postgres`; it imports anywhere, and refuses with POSTGRES_UNAVAILABLE when it is used where there is none.

export { PostgresSaver, type PostgresSaverOptions } from "../journal/postgres/postgres-saver.ts";
