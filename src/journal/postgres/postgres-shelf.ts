// The tables beside the journals: pieces of transcripts, and summaries for lists. They are never written together with
// an append, so a run never waits for them.

import type { FilePart, ListedRun, StoreShelf, TranscriptPiece } from "../store-shelf.ts";
import type { Database } from "./database.ts";
import { describeRun, runColumns } from "./run-row.ts";

const piecesPerPage = 50;

const addSql = `INSERT INTO ~transcripts (run_id, source, start_at, stop_at, body)
  SELECT id, $2::text, $3::bigint, $4::bigint, $5::text FROM ~runs WHERE run = $1::text
  ON CONFLICT (run_id, source, start_at) DO NOTHING`;

const trimSql = `DELETE FROM ~transcripts t USING (
    SELECT id, sum(length(body)) OVER (ORDER BY id DESC) AS chars FROM ~transcripts
    WHERE run_id = (SELECT id FROM ~runs WHERE run = $1::text)) AS old
  WHERE t.id = old.id AND old.chars > $2::bigint`;

const listSql = `SELECT ${runColumns}, s.body AS summary, count(*) OVER () AS total
  FROM ~runs LEFT JOIN ~summaries s ON s.run_id = id AND s.at_seq = last_seq AND NOT is_owned
  ORDER BY updated_at DESC, run`;

const keepSql = `INSERT INTO ~summaries (run_id, at_seq, body)
  SELECT id, $2::bigint, $3::text FROM ~runs WHERE run = $1::text AND last_seq = $2::bigint AND NOT is_owned
  ON CONFLICT (run_id) DO UPDATE SET at_seq = excluded.at_seq, body = excluded.body`;

export class PostgresShelf implements StoreShelf {
  readonly #database: () => Database;

  constructor(database: () => Database) {
    this.#database = database;
  }

  async addPiece(run: string, { source, start, stop, text }: FilePart): Promise<void> {
    await this.#database().query("writing", addSql, [run, source, String(start), String(stop), text]);
  }

  async keptUpTo(run: string, source: string): Promise<number> {
    const text = `SELECT max(stop_at) AS stop FROM ~transcripts
      WHERE run_id = (SELECT id FROM ~runs WHERE run = $1::text) AND source = $2::text`;
    const [row] = await this.#database().query("reading", text, [run, source]);
    return Number(row?.["stop"] ?? 0);
  }

  async trimPieces(run: string, maxChars: number): Promise<void> {
    await this.#database().query("writing", trimSql, [run, String(maxChars)]);
  }

  async pieces(run: string, after: string): Promise<readonly TranscriptPiece[]> {
    const text = `SELECT id, body FROM ~transcripts
      WHERE run_id = (SELECT id FROM ~runs WHERE run = $1::text) AND id > $2::bigint ORDER BY id LIMIT ${piecesPerPage}`;
    const rows = await this.#database().query("reading", text, [run, after]);
    return rows.map(({ id, body }) => ({ id: String(id), text: String(body) }));
  }

  async hasOtherSources(run: string, prefix: string): Promise<boolean> {
    const text = `SELECT 1 AS found FROM ~transcripts
      WHERE run_id = (SELECT id FROM ~runs WHERE run = $1::text) AND NOT starts_with(source, $2::text) LIMIT 1`;
    return (await this.#database().query("reading", text, [run, prefix])).length > 0;
  }

  async listRuns(limit: number | undefined): Promise<{ runs: readonly ListedRun[]; total: number }> {
    const text = limit === undefined ? listSql : `${listSql} LIMIT ${Math.max(1, Math.floor(limit))}`;
    const rows = await this.#database().query("reading", text);
    const runs = rows.map((row) => ({
      info: describeRun(row),
      summary: typeof row["summary"] === "string" ? row["summary"] : undefined,
    }));
    return { runs, total: Number(rows[0]?.["total"] ?? 0) };
  }

  async keepSummary(run: string, seq: number, summary: string): Promise<void> {
    await this.#database().query("writing", keepSql, [run, String(seq), summary]);
  }
}
