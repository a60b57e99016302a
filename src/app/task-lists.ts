// Task lists of the project, as files: an older feature list becomes a tasks.json.

import { resolve } from "node:path";
import { createFileAtomically } from "../lib/atomic-file.ts";
import { AtomicError } from "../lib/errors.ts";
import { migrateTaskList, readTaskFile, type TaskList } from "../tasks/task-file.ts";
import type { AppParts } from "./parts.ts";

export interface MigratedTasks {
  /** The list, as tasks.json has it. */
  readonly text: string;
  /** What the file was. */
  readonly format: TaskList["format"];
  readonly tasks: number;
  /** Where it was written. */
  readonly output?: string | undefined;
}

/** The file itself stays as it is. Throws USAGE when it is not there, and FILE_EXISTS when `output` is. */
export function migrateTasks(
  { folders, clock }: Pick<AppParts, "folders" | "clock">,
  file: string,
  output?: string,
): MigratedTasks {
  const list = readTaskFile(resolve(folders.currentDir, file));
  if (list === undefined) throw new AtomicError("USAGE", `There is no file ${file}. Check the path.`);
  const text = migrateTaskList(list, new Date(clock.now()));
  const migrated = { text, format: list.format, tasks: list.tasks.length };
  if (output === undefined) return migrated;
  const path = resolve(folders.currentDir, output);
  if (!createFileAtomically(path, text, "shared")) {
    throw new AtomicError("FILE_EXISTS", `${output} already exists and was not changed. Choose another name.`);
  }
  return { ...migrated, output: path };
}
