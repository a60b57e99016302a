// Slash commands by name. Names and aliases compare without case; a name always beats an alias; the first to register
// a name keeps it. Which entity gets a name is decided before (catalog/resolve): here a second claim is a mistake and
// throws.

import { notFoundText } from "../lib/not-found-text.ts";
import { AtomicError } from "../lib/errors.ts";
import type { CommandCategory, SlashCommand } from "./slash-command.ts";
import { commandCategories } from "./slash-command.ts";

export class CommandRegistry {
  readonly #commands = new Map<string, SlashCommand>();
  readonly #aliases = new Map<string, string>();

  /** Throws when the name is taken. An alias that is taken is left out. */
  register(command: SlashCommand): void {
    const key = keyOf(command.name);
    if (key === "" || /\s|^\//.test(key)) {
      throw new AtomicError("ENTITY_INVALID", `"${command.name}" can't be the name of a slash command.`);
    }
    if (this.#commands.has(key)) {
      throw new AtomicError("ENTITY_INVALID", `There is already a command "/${command.name}". Unregister it first.`);
    }
    this.#commands.set(key, command);
    for (const alias of command.aliases ?? []) {
      if (!this.#aliases.has(keyOf(alias))) this.#aliases.set(keyOf(alias), key);
    }
  }

  /** False when there was none of that name. */
  unregister(name: string): boolean {
    const key = keyOf(name);
    if (!this.#commands.delete(key)) return false;
    for (const [alias, owner] of this.#aliases) if (owner === key) this.#aliases.delete(alias);
    return true;
  }

  get(name: string): SlashCommand | undefined {
    const key = keyOf(name);
    return this.#commands.get(key) ?? this.#commands.get(this.#aliases.get(key) ?? "");
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Those whose name or alias starts with `query`: an exact match first, then by name. Hidden ones only if exact. */
  search(query: string): readonly SlashCommand[] {
    const wanted = keyOf(query);
    const exact = this.get(wanted);
    const found = [...this.#commands.values()].filter((command) => {
      if (command === exact || command.isHidden === true) return false;
      return [command.name, ...(command.aliases ?? [])].some((name) => keyOf(name).startsWith(wanted));
    });
    const sorted = found.toSorted((a, b) => rank(a, wanted) - rank(b, wanted) || compare(a.name, b.name));
    return exact === undefined ? sorted : [exact, ...sorted];
  }

  /** By category, then by name; with the hidden ones. */
  all(): readonly SlashCommand[] {
    const place = (command: SlashCommand): number => commandCategories.indexOf(command.category);
    return [...this.#commands.values()].toSorted((a, b) => place(a) - place(b) || compare(a.name, b.name));
  }

  inCategory(category: CommandCategory): readonly SlashCommand[] {
    return this.all().filter((command) => command.category === category && command.isHidden !== true);
  }

  clear(): void {
    this.#commands.clear();
    this.#aliases.clear();
  }

  /** `Command not found: "halp" (did you mean "help"?)` */
  notFound(name: string): string {
    const names = [...this.#commands.values()].flatMap((each) => (each.isHidden === true ? [] : [each.name]));
    return notFoundText("Command", name, [...names, ...this.#aliases.keys()]);
  }
}

function keyOf(name: string): string {
  return name.trim().normalize("NFC").toLowerCase();
}

/** What starts with the query by its own name comes before what only has such an alias. */
function rank(command: SlashCommand, wanted: string): number {
  return keyOf(command.name).startsWith(wanted) ? 0 : 1;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
