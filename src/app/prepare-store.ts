// Makes the database that the user named ready to keep runs.

import { AtomicError } from "../lib/errors.ts";
import { requireValid, resolveSettings } from "../settings/resolve-settings.ts";
import type { AppParts } from "./parts.ts";

/** Makes the tables in the database of that address. Gives its name without the password. */
export type PrepareStore = (url: string) => Promise<string>;

export async function prepareConfiguredStore(
  parts: Pick<AppParts, "place" | "environment"> & { readonly prepareStore: PrepareStore },
): Promise<{ readonly place: string }> {
  const url = requireValid(resolveSettings(parts)).text("store");
  if (url !== undefined) return { place: await parts.prepareStore(url) };
  throw new AtomicError(
    "USAGE",
    "No database is set: runs are kept in folders, which need no preparation. Name one with ATOMIC_STORE=postgres://USER:PASSWORD@HOST:5432/DATABASE, or with the setting `store`.",
  );
}
