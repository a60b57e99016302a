// `atomic/workflows/postgres`: runs in PostgreSQL, for any number of machines. Uses Bun's own client, and on Node the
// package `postgres`; importing it always works; using it without a client throws POSTGRES_UNAVAILABLE.

export { PostgresSaver, type PostgresSaverOptions } from "../journal/postgres/postgres-saver.ts";
