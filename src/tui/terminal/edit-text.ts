// A text in the user's own editor: $VISUAL, or $EDITOR. The screen is suspended meanwhile.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeFolder } from "../../lib/remove-folder.ts";
import { makeTempFolder } from "../../lib/temp-folder.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined when no editor is set, or it ended with an error: then the text stays as it was. */
export async function editText(text: string, environment: Environment): Promise<string | undefined> {
  const editor = environment["VISUAL"] ?? environment["EDITOR"] ?? "";
  if (editor.trim() === "") return undefined;
  const folder = makeTempFolder("edit");
  try {
    const file = join(folder, "message.md");
    writeFileSync(file, text, { mode: 0o600 });
    // As git does it: the variable may hold options.
    const child = Bun.spawn(["/bin/sh", "-c", `${editor} "$1"`, editor, file], {
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    });
    return (await child.exited) === 0 ? readFileSync(file, "utf8").replace(/\n$/, "") : undefined;
  } finally {
    removeFolder(folder);
  }
}
