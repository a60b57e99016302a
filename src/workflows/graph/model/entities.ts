// What nodes need of skills, commands and agents that are looked up by name. The catalog finds them; the engine only
// passes the source on.

export interface EntityPrompt {
  readonly name: string;
  readonly description?: string | undefined;
  readonly prompt: string;
  readonly model?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  /** What these tools may do, by name: `{ bash: ["git:*"] }`. */
  readonly toolRules?: Readonly<Record<string, readonly string[]>> | undefined;
}

export interface OfferedEntity extends EntityPrompt {
  /** Where it was found: a project's are offered only when the project is trusted. */
  readonly location: "project" | "user" | "builtin";
}

/** Skills, commands and agents by name. Throws with a suggestion if the name is unknown. */
export interface EntitySource {
  skill(name: string): EntityPrompt;
  command(name: string): EntityPrompt;
  agent(name: string): EntityPrompt;
  /** All agents: offered to running agents as sub-agents. Absent: none. */
  agents?(): readonly OfferedEntity[];
}
