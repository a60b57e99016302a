// Every setting there is: its kind, what it means, the variable that sets it, and whether a project may. The checks, the
// published schema, `atomic config` and the documentation are all made from this table.
//
// A project's file is a stranger's: it may say how its own work is best done, never what runs, where things are kept or
// how much may be spent beyond what the user allowed.

export type SettingValue = string | number;

/**
 * `no`: only the user's own file, the environment and flags. `tighten`: a project may ask for less than the user's file
 * or the default allows, not for more. A function: yes, unless it returns why not.
 */
export type ProjectRule = "yes" | "no" | "tighten" | ((value: SettingValue) => string | undefined);

export interface SettingSpec {
  readonly type: "string" | "number";
  readonly description: string;
  readonly variable?: string;
  readonly default?: SettingValue;
  readonly choices?: readonly string[];
  /** The required form of the text, if there is no list of choices. `means` completes "must be". */
  readonly pattern?: { readonly source: string; readonly means: string };
  /** Numbers are whole unless they are fractions, and never negative. */
  readonly isFraction?: boolean;
  /** 0 stands for no limit, so it is the largest value. */
  readonly isZeroUnlimited?: boolean;
  /** The value may hold a password, which is masked wherever the setting is shown. */
  readonly isSecret?: boolean;
  /** The value must be an absolute path. */
  readonly isAbsolute?: boolean;
  readonly project: ProjectRule;
}

const agentsWithoutCommand = ["claude", "opencode", "copilot"];

/** By dotted key. `builtins.*` stands for any name. */
export const settingTable = {
  agent: {
    type: "string",
    description:
      "The agent to work with: claude, opencode, copilot, or acp:COMMAND; several, with commas, in order of preference.",
    variable: "ATOMIC_AGENT",
    default: "claude",
    pattern: {
      source: String.raw`^(claude|opencode|copilot|scripted|replay|acp:\s*[^,\s].*)(\s*,\s*(claude|opencode|copilot|scripted|replay|acp:\s*[^,\s].*))*$`,
      means: "claude, opencode, copilot or acp:COMMAND, or several of them with commas",
    },
    // `acp:` names a program to start.
    project: (value) =>
      String(value)
        .split(",")
        .every((name) => agentsWithoutCommand.includes(name.trim()))
        ? undefined
        : `a project may choose ${agentsWithoutCommand.join(", ")} and no other`,
  },
  model: {
    type: "string",
    description: "The model to ask for; absent: the agent's own default.",
    variable: "ATOMIC_MODEL",
    project: "yes",
  },
  theme: {
    type: "string",
    description: "Colours of the terminal UI.",
    variable: "ATOMIC_THEME",
    default: "dark",
    choices: ["dark", "light"],
    project: "yes",
  },
  notify: {
    type: "string",
    description:
      "What to do when a run asks, ends or fails: desktop for a notification, or a command, which gets ATOMIC_NOTIFY_TEXT, ATOMIC_NOTIFY_OCCASION (asks, completed, failed, paused), ATOMIC_NOTIFY_RUN and ATOMIC_NOTIFY_WORKFLOW.",
    variable: "ATOMIC_NOTIFY",
    // It is a command.
    project: "no",
  },
  keys: {
    type: "string",
    description:
      "Keys of the terminal UI: ACTION=KEY, separated by commas, such as output=ctrl+y. F1 in the chat lists them.",
    variable: "ATOMIC_KEYS",
    // The user's hands know them.
    project: "no",
  },
  "sessions.dir": {
    type: "string",
    description:
      "Where runs are kept; a relative path counts from the project. Default: workflows/sessions in Atomic's home.",
    variable: "ATOMIC_SESSIONS_DIR",
    // A run that a stranger prepared there would be resumed as one's own.
    project: "no",
  },
  store: {
    type: "string",
    description:
      "A PostgreSQL database that keeps the runs, for several machines: postgres://USER:PASSWORD@HOST:5432/DATABASE. Default: each run's own folder.",
    variable: "ATOMIC_STORE",
    pattern: {
      source: String.raw`^postgres(ql)?://[^\s/]+`,
      means: "a URL like postgres://USER:PASSWORD@HOST:5432/DATABASE",
    },
    isSecret: true,
    // Access to the runs decides what is resumed.
    project: "no",
  },
  "limits.maxIterations": {
    type: "number",
    description: "Iterations of a run; 0 = no limit.",
    variable: "ATOMIC_MAX_ITERATIONS",
    default: 100,
    isZeroUnlimited: true,
    project: "tighten",
  },
  "limits.maxCost": {
    type: "number",
    description: "US dollars that a run may cost.",
    variable: "ATOMIC_MAX_COST",
    isFraction: true,
    project: "tighten",
  },
  "limits.maxTokens": {
    type: "number",
    description: "Tokens that a run may use.",
    variable: "ATOMIC_MAX_TOKENS",
    project: "tighten",
  },
  "limits.maxMinutes": {
    type: "number",
    description: "Minutes that a run may work.",
    variable: "ATOMIC_MAX_MINUTES",
    isFraction: true,
    project: "tighten",
  },
  "limits.maxWait": {
    type: "number",
    description: "Minutes that a run may wait for rate limits to end.",
    variable: "ATOMIC_MAX_WAIT",
    default: 1440,
    isFraction: true,
    project: "tighten",
  },
  "limits.maxSilence": {
    type: "number",
    description: "Minutes that an agent may be silent while no tool runs, before its turn is ended; 0 = no limit.",
    variable: "ATOMIC_MAX_SILENCE",
    default: 5,
    isFraction: true,
    isZeroUnlimited: true,
    project: "tighten",
  },
  "limits.maxToolSilence": {
    type: "number",
    description: "Minutes that one tool of an agent may be silent, before the turn is ended; 0 = no limit.",
    variable: "ATOMIC_MAX_TOOL_SILENCE",
    default: 120,
    isFraction: true,
    isZeroUnlimited: true,
    project: "tighten",
  },
  "progress.quiet": {
    type: "number",
    description: "Minutes without any activity after which a running node is reported; 0 = never.",
    variable: "ATOMIC_PROGRESS_QUIET",
    default: 1,
    isFraction: true,
    project: "yes",
  },
  "worktrees.dir": {
    type: "string",
    description: "Where the work trees of workers go, as an absolute path. Default: the run's own folder.",
    variable: "ATOMIC_WORKTREES_DIR",
    isAbsolute: true,
    // It decides where files are written and removed.
    project: "no",
  },
  "worktrees.setup": {
    type: "string",
    description:
      "A command that is run once in each worker's work tree, `npm ci` for example. From a project's file only once you trust it.",
    variable: "ATOMIC_WORKTREES_SETUP",
    // Asked about when a run would start it, as commands of a task list are.
    project: "yes",
  },
  "worktrees.share": {
    type: "string",
    description:
      "Ignored folders that work trees share with your folder, separated by commas: copied where the disk can clone files, else linked, and then writes are shared. auto = folders of packages (node_modules, .venv and the like), none = nothing.",
    variable: "ATOMIC_WORKTREES_SHARE",
    default: "auto",
    project: "yes",
  },
  "sandbox.mode": {
    type: "string",
    description:
      "How the agents of runs and chats are restricted: off, worktree (they write only to the folder they work in, temporary files, their own state and package caches), strict (and reach only the hosts in sandbox.hosts).",
    variable: "ATOMIC_SANDBOX",
    default: "off",
    choices: ["off", "worktree", "strict"],
    // It protects from the project.
    project: "no",
  },
  "sandbox.write": {
    type: "string",
    description:
      "More folders that agents in a sandbox may write to, separated by commas: absolute, or starting with ~. auto = caches of package managers (npm, pnpm, pip, cargo, go and the like), none = nothing.",
    variable: "ATOMIC_SANDBOX_WRITE",
    default: "auto",
    project: "no",
  },
  "sandbox.hosts": {
    type: "string",
    description:
      "Hosts that agents in a strict sandbox may reach besides their model's service, separated by commas: packages.example.com, *.example.com, example.com:8443, 127.0.0.1:11434.",
    variable: "ATOMIC_SANDBOX_HOSTS",
    project: "no",
  },
  "agents.claude.path": {
    type: "string",
    description: "The program of Claude Code, as an absolute path.",
    variable: "ATOMIC_CLAUDE_PATH",
    isAbsolute: true,
    project: "no",
  },
  "agents.opencode.path": {
    type: "string",
    description: "The program of OpenCode, as an absolute path.",
    variable: "ATOMIC_OPENCODE_PATH",
    isAbsolute: true,
    project: "no",
  },
  "agents.copilot.path": {
    type: "string",
    description: "The program of Copilot, as an absolute path.",
    variable: "ATOMIC_COPILOT_PATH",
    isAbsolute: true,
    project: "no",
  },
  "mask.names": {
    type: "string",
    description:
      "More variables whose values are secrets, besides those whose names say so: names separated by commas; * matches the rest of a name.",
    variable: "ATOMIC_MASK_NAMES",
    // It would garble what the user reads.
    project: "no",
  },
  "builtins.*": {
    type: "string",
    description: "The agent, skill or command to use where a workflow asks for the built-in `atomic:*`.",
    project: "yes",
  },
} as const satisfies Record<string, SettingSpec>;

export type SettingKey = Exclude<keyof typeof settingTable, "builtins.*"> | `builtins.${string}`;

export const settingKeys = Object.keys(settingTable) as readonly (keyof typeof settingTable)[];

/** The row of a key, also for `builtins.worker`. Undefined for an unknown key. */
export function settingSpec(key: string): SettingSpec | undefined {
  if (Object.hasOwn(settingTable, key) && !key.includes("*")) return settingTable[key as keyof typeof settingTable];
  return /^builtins\.[a-z\d][\w.-]{0,63}$/.test(key) ? settingTable["builtins.*"] : undefined;
}

/** Undefined when the value fits, otherwise what is wrong with it. */
export function problemWithValue(spec: SettingSpec, value: unknown): string | undefined {
  if (spec.type === "number") {
    if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
    if (value < 0) return "must not be negative";
    return spec.isFraction !== true && !Number.isInteger(value) ? "must be a whole number" : undefined;
  }
  if (typeof value !== "string") return "must be text";
  if (value.trim() === "") return "must not be empty";
  if (value.length > 4096 || /\p{Cc}/u.test(value)) return "must be one line of text";
  if (spec.choices !== undefined && !spec.choices.includes(value)) return `must be one of ${spec.choices.join(", ")}`;
  if (spec.pattern !== undefined && !new RegExp(spec.pattern.source).test(value))
    return `must be ${spec.pattern.means}`;
  if (spec.isAbsolute === true && !value.startsWith("/") && !/^[A-Za-z]:[\\/]/.test(value)) {
    return "must be an absolute path";
  }
  return undefined;
}
