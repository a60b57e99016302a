// Rules that limit what a tool may do, as definitions of agents write them: `Bash(git:*)`. Owns how a rule for shell
// commands is read; what enforces it is each backend's own.

/** By the tool's name in lower case: `{ bash: ["git add:*", "git status"] }`. A tool without an entry has no rules. */
export type ToolRules = Readonly<Record<string, readonly string[]>>;

const shellTools: ReadonlySet<string> = new Set(["bash", "shell", "execute"]);

export interface ShellRule {
  readonly words: string;
  /** Anything may follow the words. */
  readonly isPrefix: boolean;
}

export function isShellTool(name: string): boolean {
  return shellTools.has(name.toLowerCase());
}

/** The rules for shell commands; undefined when they are not limited. `git:*` and `git *` mean the same. */
export function shellRules(rules: ToolRules | undefined): readonly ShellRule[] | undefined {
  const written = Object.entries(rules ?? {}).flatMap(([name, list]) => (isShellTool(name) ? list : []));
  if (written.length === 0) return undefined;
  return written.map((rule) => {
    const words = rule.replace(/(?::\*|\s+\*)$/, "").trim();
    return { words, isPrefix: words !== rule.trim() };
  });
}

/** As a user would write them: `bash(git:*)`. */
export function spellRules(rules: ToolRules | undefined, isWanted: (name: string) => boolean): readonly string[] {
  return Object.entries(rules ?? {}).flatMap(([name, list]) =>
    isWanted(name) ? list.map((rule) => `${name}(${rule})`) : [],
  );
}

/**
 * Whether a command is allowed, for a backend without its own rule engine. Anything but a plain command is
 * refused: what a substitution, a redirection or a second command would do is not covered by its first words.
 */
export function isShellAllowed(command: string, rules: readonly ShellRule[]): boolean {
  const plain = command.trim();
  if (/[;&|<>`\n\r]|\$\(/.test(plain)) return false;
  return rules.some(({ words, isPrefix }) => plain === words || (isPrefix && plain.startsWith(`${words} `)));
}
