// The environment of an agent's program: the user's own, as the program would have it without us, minus what a
// project's files tried to add, plus what the backend needs. A setting narrows the user's part to an allow-list.
// Nothing reads `process.env` here: the caller passes it, and tests pass one they built.

export type Environment = Readonly<Record<string, string>>;

export interface ChildEnvironmentOptions {
  readonly user: Readonly<Record<string, string | undefined>>;
  /** What a project's files (`.env`, settings) define. Such a variable is dropped unless the user set another value. */
  readonly fromProject?: Environment | undefined;
  /**
   * Names that may pass, `*` at the end matches any rest. Absent: all. What a process can't start without always
   * passes.
   */
  readonly allow?: readonly string[] | undefined;
  /** What the backend needs. Wins over everything. */
  readonly add?: Environment | undefined;
}

/** Without these a program does not find itself, its files or its terminal's language. */
const essential = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_*",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "TERM",
  "SYSTEMROOT",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
];

export function childEnvironment(options: ChildEnvironmentOptions): Record<string, string> {
  const allowed = options.allow === undefined ? undefined : [...essential, ...options.allow].map(namePattern);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.user)) {
    if (value === undefined) continue;
    if (options.fromProject?.[name] === value) continue;
    if (allowed !== undefined && !allowed.some((matches) => matches(name))) continue;
    environment[name] = value;
  }
  return { ...environment, ...options.add };
}

function namePattern(pattern: string): (name: string) => boolean {
  if (!pattern.endsWith("*")) return (name) => name === pattern;
  const start = pattern.slice(0, -1);
  return (name) => name.startsWith(start);
}
