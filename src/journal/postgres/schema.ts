// The tables, and how they are created. Bodies are text and not jsonb: JSON may hold \u0000, which jsonb refuses.
//
// `transcripts` and `summaries` are kept beside the journals (postgres-shelf.ts); no append touches them.
//
// `runs` is written by every append: half of each page is left free, so that a row is updated in place, and no column
// that an append changes is indexed.
//
// `append_record` is one append (postgres-handle.ts) as a function, which a connection plans once, not per append.

import { AtomicError } from "../../lib/errors.ts";
import { journalFormat } from "../port.ts";

/** Milliseconds since the epoch, by the database's clock. */
export const nowSql = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/**
 * Checks the owner's number and that of the last event, and renews the lease. The values: run, fence, the first and last
 * number of the append, its checksum and text, the lease in milliseconds, and the run's new status and due time.
 */
export const ownAndRenewSql = `UPDATE ~runs SET last_seq = $4::bigint, updated_at = greatest(updated_at, ${nowSql}),
      lease_until = clock_timestamp() + $7::bigint * interval '1 ms', status = coalesce($8::text, status),
      due_at = CASE WHEN $8::text IS NULL THEN due_at ELSE $9::bigint END
    WHERE id = $1::bigint AND fence = $2::bigint AND is_owned AND last_seq = $3::bigint - 1`;

export const formatSql = "SELECT format FROM ~meta";

/** The SQLSTATE of a script that found tables of another format, and changed nothing. */
export const otherFormatState = "AT001";

export function schemaScript(schema: string): string {
  return `
SELECT pg_advisory_xact_lock(hashtext('atomic prepare'));
DO $body$ BEGIN
  IF to_regclass('${schema}.meta') IS NOT NULL THEN
    IF EXISTS (SELECT FROM ${schema}.meta WHERE format <> ${journalFormat}) THEN
      RAISE EXCEPTION 'tables of another format' USING ERRCODE = '${otherFormatState}';
    END IF;
  END IF;
END $body$;
CREATE SCHEMA IF NOT EXISTS ${schema};
CREATE TABLE IF NOT EXISTS ${schema}.meta (one int PRIMARY KEY DEFAULT 1 CHECK (one = 1), format int NOT NULL);
INSERT INTO ${schema}.meta (format) VALUES (${journalFormat}) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS ${schema}.runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  last_seq bigint NOT NULL DEFAULT 0,
  status text,
  due_at bigint,
  fence bigint NOT NULL DEFAULT 1,
  is_owned boolean NOT NULL,
  owner text NOT NULL,
  since bigint NOT NULL,
  lease_until timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX IF NOT EXISTS runs_due ON ${schema}.runs (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS ${schema}.appends (
  run bigint NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  at bigint NOT NULL,
  crc bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (run, first_seq)
);
ALTER TABLE ${schema}.appends ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS ${schema}.snapshots (
  run bigint NOT NULL,
  seq bigint NOT NULL,
  crc bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (run, seq)
);
CREATE TABLE IF NOT EXISTS ${schema}.requests (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run bigint NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL
);
CREATE INDEX IF NOT EXISTS requests_run ON ${schema}.requests (run, id);
CREATE TABLE IF NOT EXISTS ${schema}.transcripts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id bigint NOT NULL,
  source text NOT NULL,
  start_at bigint NOT NULL,
  stop_at bigint NOT NULL,
  body text NOT NULL,
  UNIQUE (run_id, source, start_at)
);
CREATE INDEX IF NOT EXISTS transcripts_run ON ${schema}.transcripts (run_id, id);
CREATE TABLE IF NOT EXISTS ${schema}.summaries (
  run_id bigint PRIMARY KEY,
  at_seq bigint NOT NULL,
  body text NOT NULL
);
CREATE OR REPLACE FUNCTION ${schema}.append_record(
  bigint, bigint, bigint, bigint, bigint, text, bigint, text, bigint
) RETURNS bigint LANGUAGE plpgsql AS $body$
DECLARE stored_at bigint;
BEGIN
  ${ownAndRenewSql.replaceAll("~", `${schema}.`)} RETURNING updated_at INTO stored_at;
  IF stored_at IS NOT NULL THEN
    INSERT INTO ${schema}.appends (run, first_seq, last_seq, at, crc, body) VALUES ($1, $3, $4, stored_at, $5, $6);
  END IF;
  RETURN stored_at;
END $body$;
`;
}

/** Whether appends may use the function: a database that an earlier version prepared has none. */
export const hasFunctionSql = "has_function_privilege(to_regproc('~append_record'), 'EXECUTE')::text";

export function checkFormat(found: unknown, shown: string): void {
  const format = Number(found);
  if (format === journalFormat) return;
  if (format > journalFormat) {
    throw new AtomicError(
      "JOURNAL_NEWER",
      `The ${shown} was written by a later version of this program: its format is ${format}, and this version reads ` +
        `up to ${journalFormat}. Update the program; nothing was changed.`,
      { details: { database: shown, format, supported: journalFormat } },
    );
  }
  throw new AtomicError("JOURNAL_CORRUPT", `The ${shown} does not say which format it has. Restore it from a backup.`, {
    details: { database: shown },
  });
}
