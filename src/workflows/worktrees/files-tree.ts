// The user's files as a git tree: the commit with every changed and untracked file, as git would add them. Files under a
// filter stay as they are in the commit, and so do repositories inside.

import { join } from "node:path";
import { removeFolder } from "../../lib/remove-folder.ts";
import { makeTempFolder } from "../../lib/temp-folder.ts";
import type { GitStatus } from "../git/git-status.ts";
import type { Git } from "../git/git.ts";
import { filtersInUse, listFiltered } from "./filtered-files.ts";
import { must } from "./run-repository.ts";

export async function treeOfFiles(git: Git, status: GitStatus & { readonly commit: string }): Promise<string> {
  const changed = status.files.filter(({ name, isSubmodule }) => !isSubmodule && !name.endsWith("/"));
  const filtered = new Set(
    changed.length === 0
      ? []
      : await listFiltered(git, await filtersInUse(git), ["--cached", "--others", "--exclude-standard"]),
  );
  const names = changed.map(({ name }) => name).filter((name) => !filtered.has(name));
  if (names.length === 0) return must(git, ["rev-parse", "--verify", `${status.commit}^{tree}`]);
  const scratch = makeTempFolder("keep");
  try {
    const env = { GIT_INDEX_FILE: join(scratch, "index") };
    await must(git, ["read-tree", status.commit], { env });
    const input = Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1");
    await must(git, ["update-index", "-z", "--add", "--remove", "--stdin"], { env, input });
    return await must(git, ["write-tree"], { env });
  } finally {
    removeFolder(scratch);
  }
}
