// Turns a failure of the database, of its client or of the network into one of ours, by its SQLSTATE or code.

import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { DatabaseAddress } from "./database-address.ts";
import { otherFormatState } from "./schema.ts";

export type Doing = "reading" | "writing";

export function translatePostgresFailure(error: unknown, doing: Doing, address: DatabaseAddress): unknown {
  if (AtomicError.is(error) || !(error instanceof Error)) return error;
  const state = stateOf(error);
  const { shown } = address;
  const text = masked(messageOf(error), address);
  const details = { database: shown, state };
  // The driver's own error may hold the address, with its password.
  const cause = new Error(text);
  if (missingTables.has(state)) {
    return new AtomicError(
      "STORE_NOT_PREPARED",
      `The ${shown} has no tables for runs (${text}). Prepare it once; if it had some, restore it from a backup.`,
      { cause, details },
    );
  }
  const { what, isRetryable } = describe(state, shown);
  const code = doing === "reading" ? "JOURNAL_UNREADABLE" : "JOURNAL_WRITE_FAILED";
  const stored = doing === "writing" && !isRetryable ? " Nothing was stored." : "";
  return new AtomicError(code, `${what} (${text}).${stored}`, { cause, retryable: isRetryable, details });
}

/** The tables are of another format than this version prepares. */
export function isOtherFormat(error: unknown): boolean {
  return error instanceof Error && stateOf(error) === otherFormatState;
}

function masked(text: string, { secrets }: DatabaseAddress): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}

const missingTables: ReadonlySet<string> = new Set(["42P01", "3F000"]);

/** SQLSTATE classes: connection, transaction rollback, resources, object in use, operator's intervention. */
const transientClasses: ReadonlySet<string> = new Set(["08", "40", "53", "55", "57"]);

function describe(state: string, shown: string): { readonly what: string; readonly isRetryable: boolean } {
  const final = (what: string): { what: string; isRetryable: false } => ({ what, isRetryable: false });
  const transient = (what: string): { what: string; isRetryable: true } => ({ what, isRetryable: true });
  switch (state) {
    case "28P01":
    case "28000":
    case "ERR_POSTGRES_AUTHENTICATION_FAILED_PBKDF2":
    case "ERR_POSTGRES_PASSWORD_REQUIRED":
      return final(`The ${shown} refuses the login. Check the user and the password in its address`);
    case "3D000":
      return final(`The ${shown} does not exist. Create it, or correct the address`);
    case "25006":
      return final(`The ${shown} is read-only. Use one that can be written`);
    case "42501":
      return final(`The ${shown} does not allow it. Give its user the right to use and write the tables of runs`);
    case "53100":
      return final(`The disk of the ${shown} is full. Free some space`);
    case "53300":
      return transient(`The ${shown} has no connection left. Raise its limit, or close some`);
    default:
      if (/^[0-9A-Z]{5}$/.test(state) && !transientClasses.has(state.slice(0, 2))) return final(`The ${shown} refuses`);
      return transient(
        `The ${shown} can't be reached or does not answer. Check that it runs and that its address is right`,
      );
  }
}

/** Bun calls the SQLSTATE errno, and its own codes code; the package `postgres` calls both code. */
function stateOf(error: Error): string {
  const { errno, code } = error as { readonly errno?: unknown; readonly code?: unknown };
  if (typeof errno === "string" && errno !== "") return errno;
  return typeof code === "string" ? code : "";
}
