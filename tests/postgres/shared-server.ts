// The PostgreSQL that `npm run test:postgres` started for all suites.

import { randomUUID } from "node:crypto";

export function sharedUrl(): string {
  const url = process.env["ATOMIC_TEST_POSTGRES"];
  if (url === undefined) throw new Error("Run these with `npm run test:postgres`: it starts a PostgreSQL for them.");
  return url;
}

/** A folder that the user of a server may enter. */
export function serverFolder(): string {
  return process.env["ATOMIC_TEST_POSTGRES_FOLDER"] ?? "/tmp";
}

/** The address of a schema of a test's own, in the shared server. */
export function schemaUrl(schema: string): string {
  const url = new URL(sharedUrl());
  url.searchParams.set("schema", schema);
  return url.href;
}

/** A name that no other test of this run has: files run at the same time, and several in one process. */
export function newSchema(): string {
  return `t${randomUUID().replaceAll("-", "")}`;
}

export async function runSql(text: string): Promise<void> {
  const sql = new Bun.SQL({ url: sharedUrl(), max: 1 });
  try {
    await sql.unsafe(text);
  } finally {
    await sql.close();
  }
}
