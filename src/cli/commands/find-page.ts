// The run that a command is about: named by its id, or the newest of this folder.

import type { App } from "../../app/create-app.ts";
import type { RunPage } from "../../app/run-page.ts";
import { AtomicError } from "../../lib/errors.ts";

export const idArgument = {
  name: "ID",
  description: "the run: its id, a unique prefix of it, or @last; default: the newest of this folder",
  isOptional: true,
} as const;

export async function findPage({ runs, folders }: App, id: string | undefined): Promise<RunPage> {
  if (id !== undefined) return runs.page(id);
  const newest = await runs.newest(folders.projectDir, "any");
  if (newest !== undefined) return newest;
  throw new AtomicError(
    "RUN_NOT_FOUND",
    `There is no run of ${folders.projectDir}. \`atomic sessions\` lists all runs; name one of another folder by its id.`,
  );
}
