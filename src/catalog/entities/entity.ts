// The common shape of commands, skills and agents of every provider. Data only; parse-entity.ts parses.

import type { Plain, PlainObject } from "../plain-data.ts";

export type EntityType = "command" | "skill" | "agent";
export type ProviderType = "claude" | "opencode" | "copilot" | "atomic";
export type EntityLocation = "project" | "user" | "builtin";
export type AgentModel = "opus" | "sonnet" | "haiku" | "inherit";

export interface EntityOrigin {
  readonly provider: ProviderType;
  readonly location: EntityLocation;
  /** The file it was read from; absent for built-ins and for what a program registered. */
  readonly path?: string;
}

export interface UnifiedEntity {
  readonly type: EntityType;
  /** Lower case; what a user types after the slash. */
  readonly name: string;
  /** The name as its file has it, where that is not what is typed: `C# Expert`. */
  readonly label?: string;
  readonly description: string;
  readonly aliases?: readonly string[];
  /** Instructions: the prompt of a command or skill, the system prompt of an agent. */
  readonly prompt: string;
  /** Lower-case tool names without their rules; absent means: all that the backend offers. */
  readonly tools?: readonly string[];
  /** What these tools may do, as written: `{ bash: ["git:*"] }` for `Bash(git:*)`. */
  readonly toolRules?: Readonly<Record<string, readonly string[]>>;
  readonly model?: AgentModel;
  /** What may follow the name, for example `[message] | --amend`. */
  readonly argumentHint?: string;
  readonly source: EntityOrigin;
  /**
   * The values as written, where normalizing loses something: a backend of the same provider passes them on.
   * `tools` keeps rules like `Bash(git:*)`, `model` keeps ids like `gpt-5`.
   */
  readonly declared?: {
    readonly model?: string;
    /** Several models, in order of preference. */
    readonly models?: readonly string[];
    readonly tools?: Plain;
  };
  /**
   * Frontmatter that has no meaning here, as written: for the program it was written for, and for readers of the
   * entity.
   */
  readonly extra?: PlainObject;
}
