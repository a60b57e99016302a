// Prepares the database that the user named for keeping runs.

import { AtomicError } from "../lib/errors.ts";
import { requireValid, resolveSettings } from "../settings/resolve-settings.ts";
import type { AppParts } from "./parts.ts";

/** Creates the tables in the database at that address. Returns its address without the password. */
export type PrepareStore = (url: string) => Promise<string>;

export async function prepareConfiguredStore(
  parts: Pick<AppParts, "folders" | "environment"> & { readonly prepareStore: PrepareStore },
): Promise<{ readonly place: string }> {
  const url = requireValid(resolveSettings(parts)).text("store");
  if (url !== undefined) return { place: await parts.prepareStore(url) };
  throw new AtomicError(
    "USAGE",
    "No database is set: runs are kept in folders, which need no preparation. Name one with ATOMIC_STORE=postgres://USER:PASSWORD@HOST:5432/DATABASE, or with the setting `store`.",
  );
}
