// How runs in a folder are kept on its file system: for people who ask why writing is slow.

import { fileSystemOf } from "../../lib/file-system.ts";
import { type JournalMode, journalModeIn } from "../../journal/sqlite/journal-mode.ts";

export function keepingIn(dir: string): { readonly mode: JournalMode; readonly fileSystem: string } {
  return { mode: journalModeIn(dir), fileSystem: fileSystemOf(dir).name };
}
