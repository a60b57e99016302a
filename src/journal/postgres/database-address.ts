// Where a database is: the URL as the client gets it, and as it may be shown. The password is in the first only.

import { AtomicError } from "../../lib/errors.ts";

export interface DatabaseAddress {
  /** For the client. Holds the password. */
  readonly url: string;
  readonly schema: string;
  /** For messages: "database atomic on db.example:5432 (schema runs)". */
  readonly shown: string;
  /** What must not be shown, as it is and as it is written in a URL. */
  readonly secrets: readonly string[];
}

const defaultSchema = "atomic";
const schemaName = /^[a-z_][a-z0-9_]{0,62}$/;

/** `?schema=NAME` in the URL names the schema, unless `given` does. Throws USAGE if it is not the URL of a database. */
export function parseAddress(written: string, given?: string): DatabaseAddress {
  const url = parseUrl(written);
  const schema = given ?? url.searchParams.get("schema") ?? defaultSchema;
  url.searchParams.delete("schema");
  if (!schemaName.test(schema)) {
    const text = `The schema of a database must be lower-case letters, digits and "_", up to 63 of them.`;
    throw new AtomicError("USAGE", text, { details: { schema } });
  }
  const database = decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username) || "postgres";
  const where = `database ${database} on ${url.hostname}:${url.port === "" ? "5432" : url.port}`;
  return {
    url: url.href,
    schema,
    shown: schema === defaultSchema ? where : `${where} (schema ${schema})`,
    secrets: url.password === "" ? [] : [...new Set([url.password, decodeURIComponent(url.password)])],
  };
}

function parseUrl(written: string): URL {
  // The text itself may hold a password, so no message repeats it.
  const wrong = "The address of a PostgreSQL database looks like postgres://USER:PASSWORD@HOST:5432/DATABASE.";
  if (!URL.canParse(written)) throw new AtomicError("USAGE", wrong);
  const url = new URL(written);
  const isPostgres = url.protocol === "postgres:" || url.protocol === "postgresql:";
  if (!isPostgres || url.hostname === "") throw new AtomicError("USAGE", wrong);
  return url;
}
