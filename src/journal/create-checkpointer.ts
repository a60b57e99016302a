// Creates a store from the name of its type, for settings and for authors who don't want to know the classes. Opens and
// loads nothing: SQLite's library is loaded on first use.

import { FileSaver, type FileSaverOptions } from "./files/file-saver.ts";
import { ResearchDirSaver, type ResearchDirSaverOptions } from "./files/research-dir-saver.ts";
import { SessionDirSaver, type SessionDirSaverOptions } from "./files/session-dir-saver.ts";
import { MemorySaver } from "./memory.ts";
import type { JournalStore } from "./port.ts";
import { SqliteSaver, type SqliteSaverOptions } from "./sqlite/sqlite-saver.ts";

export type CheckpointerOptions =
  | { readonly type: "memory" }
  | ({ readonly type: "file" } & FileSaverOptions)
  | ({ readonly type: "session" } & SessionDirSaverOptions)
  | ({ readonly type: "research" } & ResearchDirSaverOptions)
  | ({ readonly type: "sqlite" } & SqliteSaverOptions);

export function createCheckpointer(options: CheckpointerOptions): JournalStore {
  switch (options.type) {
    case "memory":
      return new MemorySaver();
    case "file":
      return new FileSaver({ ...options, dir: required(options, "dir") });
    case "session":
      return new SessionDirSaver({ ...options, dir: required(options, "dir") });
    case "research":
      return new ResearchDirSaver(options);
    case "sqlite":
      return new SqliteSaver({ ...options, path: required(options, "path") });
    default:
      return unknownType(options);
  }
}

/** Options may come from a settings file, where no compiler checked them. */
function required<O extends { readonly type: string }, K extends keyof O & string>(options: O, key: K): O[K] {
  const value: unknown = options[key];
  if ((typeof value === "string" && value !== "") || typeof value === "function") return options[key];
  throw new TypeError(`createCheckpointer({ type: "${options.type}" }) needs "${key}".`);
}

function unknownType(options: never): never {
  const type = JSON.stringify((options as { type?: unknown } | undefined)?.type);
  throw new TypeError(
    `createCheckpointer does not know the type ${type}. Use "memory", "file", "session", "research" or "sqlite".`,
  );
}
