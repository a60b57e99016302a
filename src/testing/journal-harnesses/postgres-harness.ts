// PostgresSaver under the journal contract, in a separate schema, and the ways to break its tables. The caller provides
// the database: PostgreSQL itself is not part of this package.

import { PostgresSaver } from "../../journal/postgres/postgres-saver.ts";
import type { JournalDamage, JournalHarness } from "../contracts/journal-harness.ts";

export interface PostgresPlace {
  readonly url: string;
  readonly schema: string;
}

/** Runs statements as the owner of the database. */
export type RunSql = (sql: string) => Promise<void>;

/** `program` is the command of the child program, without the schema. */
export async function postgresHarness(
  place: PostgresPlace,
  runSql: RunSql,
  program: readonly string[],
): Promise<JournalHarness> {
  const { schema } = place;
  const made: PostgresSaver[] = [];
  const store = (): PostgresSaver => {
    const saver = new PostgresSaver(place);
    made.push(saver);
    return saver;
  };
  await store().prepare();
  return {
    store,
    child: [...program, schema],
    damages: damagesOf(schema, runSql),
    async dispose() {
      for (const saver of made) await saver.close();
      await runSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    },
  };
}

function damagesOf(schema: string, runSql: RunSql): readonly JournalDamage[] {
  const corrupt = (name: string, mentions: RegExp, sql: string): JournalDamage => ({
    name,
    code: "JOURNAL_CORRUPT",
    mentions,
    apply: () => runSql(sql),
  });
  const appends = `${schema}.appends`;
  return [
    corrupt(
      "a record missing in the middle",
      /record 4 is missing.*last good record is 3/,
      `DELETE FROM ${appends} WHERE first_seq = 4`,
    ),
    corrupt("the first record missing", /record 1 is missing/, `DELETE FROM ${appends} WHERE first_seq = 1`),
    corrupt("the last record missing", /record 7 is missing/, `DELETE FROM ${appends} WHERE first_seq = 7`),
    corrupt("all records missing", /record 1 is missing/, `TRUNCATE ${appends}`),
    corrupt(
      "a record changed",
      /record 4 does not match its checksum.*last good record is 3/,
      `UPDATE ${appends} SET body = replace(body, '4 ', '5 ') WHERE first_seq = 4`,
    ),
    corrupt(
      "a record emptied",
      /record 7 does not match its checksum/,
      `UPDATE ${appends} SET body = '' WHERE first_seq = 7`,
    ),
    corrupt("no format", /does not say which format/, `DELETE FROM ${schema}.meta`),
    {
      name: "the tables gone",
      code: "STORE_NOT_PREPARED",
      mentions: /no tables for runs/,
      apply: () => runSql(`DROP SCHEMA ${schema} CASCADE`),
    },
    {
      name: "a later format",
      code: "JOURNAL_NEWER",
      mentions: /format is 2, and this version reads up to 1/,
      apply: () => runSql(`UPDATE ${schema}.meta SET format = 2`),
    },
  ];
}
