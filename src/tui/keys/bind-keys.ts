// Keys and what they do, from one table per screen: the table that binds keys is the one that help shows. Keys are
// written as people write them: `ctrl+o`, `alt+enter`, `shift+tab`, `f1`. Ctrl+A, Ctrl+B and Ctrl+Z belong to terminals
// and multiplexers and are never bound.

/** A key as the terminal reports it. */
export interface PressedKey {
  readonly name: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
  /** What it types, if anything. */
  readonly sequence: string;
}

export interface Binding {
  readonly keys: readonly string[];
  readonly does: string;
}

export type Bindings<Action extends string> = Readonly<Record<Action, Binding>>;

export interface KeyRow {
  readonly keys: string;
  readonly does: string;
}

export interface BoundKeys<Action extends string> {
  /** Undefined: the key types itself, or nothing. */
  actionOf(key: PressedKey): Action | undefined;
  readonly rows: readonly (KeyRow & { readonly action: Action })[];
  /** As a hint shows it: `Esc`, `^O`. */
  label(action: Action): string;
  /** The entries that changed something here. */
  readonly taken: ReadonlySet<string>;
}

export interface BindOptions {
  /** Entries like `output=ctrl+y`, of the user's own. */
  readonly rebound: readonly string[];
  /** Whether a letter alone can be bound: not where it types itself. */
  readonly hasLetters: boolean;
}

/** A key that is bound to another action is removed from the previous one. */
export function bindKeys<Action extends string>(
  bindings: Bindings<Action>,
  { rebound, hasLetters }: BindOptions,
): BoundKeys<Action> {
  const actions = Object.keys(bindings).filter((name): name is Action => Object.hasOwn(bindings, name));
  const keys = new Map<Action, readonly string[]>(actions.map((action) => [action, bindings[action].keys]));
  const taken = new Set<string>();
  for (const entry of rebound) {
    const { action, key } = readBinding(entry);
    const found = actions.find((each) => each.toLowerCase() === action);
    const canonical = canonicalKey(key, hasLetters);
    if (found === undefined || canonical === undefined) continue;
    taken.add(entry);
    for (const [other, own] of keys)
      keys.set(
        other,
        own.filter((each) => each !== canonical),
      );
    keys.set(found, [canonical]);
  }
  const byKey = new Map([...keys].flatMap(([action, own]) => own.map((key) => [key, action] as const)));
  return {
    taken,
    actionOf: (key) => byKey.get(spell(key)) ?? (hasLetters ? byKey.get(key.sequence) : undefined),
    rows: actions.map((action) => ({
      action,
      keys: (keys.get(action) ?? []).map(pretty).join("  "),
      does: bindings[action].does,
    })),
    label: (action) => pretty(keys.get(action)?.[0] ?? ""),
  };
}

/** `output=ctrl+y`, in lower case. */
export function readBinding(entry: string): { readonly action: string; readonly key: string } {
  const [action = "", key = ""] = entry.split("=").map((part) => part.trim().toLowerCase());
  return { action, key };
}

const forbidden: ReadonlySet<string> = new Set(["ctrl+a", "ctrl+b", "ctrl+z"]);
const names: Readonly<Record<string, string>> = {
  return: "enter",
  linefeed: "ctrl+j",
  kpenter: "enter",
  esc: "escape",
};

function canonicalKey(written: string, hasLetters: boolean): string | undefined {
  const parts = written.split("+");
  const name = parts.pop() ?? "";
  if (name === "" || parts.some((part) => !["ctrl", "alt", "shift"].includes(part))) return undefined;
  const ordered = ["ctrl", "alt", "shift"].filter((part) => parts.includes(part));
  if (!hasLetters && ordered.length === 0 && /^.$/u.test(name)) return undefined;
  const key = [...ordered, names[name] ?? name].join("+");
  return forbidden.has(key) ? undefined : key;
}

function spell({ name, ctrl, meta, shift }: PressedKey): string {
  const known = names[name] ?? name;
  if (known === "ctrl+j") return known;
  return [...(ctrl ? ["ctrl"] : []), ...(meta ? ["alt"] : []), ...(shift ? ["shift"] : []), known].join("+");
}

const signs: Readonly<Record<string, string>> = {
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  pageup: "PgUp",
  pagedown: "PgDn",
};

function pretty(key: string): string {
  const [first = "", ...rest] = key.split("+").toReversed();
  const name =
    signs[first] ??
    (first === "escape"
      ? "Esc"
      : first.length > 1
        ? first.charAt(0).toUpperCase() + first.slice(1)
        : first.toUpperCase());
  if (rest.length === 1 && rest[0] === "ctrl" && first.length === 1) return `^${name}`;
  // A letter alone is written as it is pressed.
  if (rest.length === 0 && first.length === 1) return first;
  return [...rest.toReversed().map((part) => part.charAt(0).toUpperCase() + part.slice(1)), name].join("+");
}
