// Everything that can be typed after a slash, as rows to list.

import type { Catalog } from "../catalog/catalog.ts";
import { createCommands, type CommandPorts } from "../commands/create-commands.ts";
import { isAbout, type Listing, type Problem, type SlashRow } from "./listings.ts";
import type { ListingWorkspace } from "./listing-workspace.ts";

/** For a listing: no command is executed. */
const noopPorts: CommandPorts = {
  models: { current: () => undefined, list: async () => [], refresh: async () => [] },
  servers: { servers: async () => [], switchServer: async () => undefined },
  activeWorkflow: () => undefined,
  runOptions: {},
};

const aboutNames: ReadonlySet<string> = new Set(["core-command", "alias-conflict", "takes-name", "takes-builtin"]);

export function listSlashCommands(workspace: Pick<ListingWorkspace, "catalog" | "parts">): Listing<SlashRow> {
  const { catalog } = workspace;
  const kinds = new Map(catalog.slashNames.map(({ name, kind }) => [name, kind]));
  const files = filesOf(catalog);
  const found = createCommands(catalog, noopPorts)
    .all()
    .map(({ name, description, aliases = [], argumentHint }): SlashRow => {
      const kind = kinds.get(name) ?? "builtin";
      const file = files.get(`${kind} ${name}`);
      return {
        name,
        kind,
        description,
        aliases,
        ...(argumentHint === undefined || argumentHint === "" ? {} : { argumentHint }),
        ...(file === undefined ? {} : { file }),
      };
    });
  // Files of commands have no other list in which they could be explained.
  const isAboutCommand = isAbout(workspace, "command");
  const problems: readonly Problem[] = catalog.diagnostics.filter((each) => {
    return aboutNames.has(each.code) || each.severity === "error" || isAboutCommand(each);
  });
  return { found, hidden: catalog.hidden.filter((each) => each.kind !== "tool"), problems };
}

function filesOf(catalog: Catalog): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { info, file } of catalog.workflows) if (file !== undefined) files.set(`workflow ${info.name}`, file.path);
  for (const { type, name, source } of [...catalog.commands, ...catalog.skills, ...catalog.agents]) {
    if (source.path !== undefined) files.set(`${type} ${name}`, source.path);
  }
  return files;
}
