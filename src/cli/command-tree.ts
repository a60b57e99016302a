// All commands of the program, in the order of `atomic --help`. A new command is one file in commands/,
// one line here and one in summaries.ts.
// Only the command that is asked for is loaded.

import type { CliCommand } from "./command.ts";
import type { CommandName } from "./summaries.ts";

export interface CommandEntry {
  readonly name: CommandName;
  load(): Promise<CliCommand>;
}

const commandTree: readonly CommandEntry[] = [
  { name: "chat", load: async () => (await import("./commands/chat.ts")).chatCommand },
  { name: "run", load: async () => (await import("./commands/run.ts")).runCommand },
  { name: "ralph", load: async () => (await import("./commands/run.ts")).ralphCommand },
  { name: "resume", load: async () => (await import("./commands/resume.ts")).resumeCommand },
  { name: "answer", load: async () => (await import("./commands/answer.ts")).answerCommand },
  { name: "pause", load: async () => (await import("./commands/pause.ts")).pauseCommand },
  { name: "cancel", load: async () => (await import("./commands/cancel.ts")).cancelCommand },
  { name: "land", load: async () => (await import("./commands/land.ts")).landCommand },
  { name: "sessions", load: async () => (await import("./commands/sessions.ts")).sessionsCommand },
  { name: "logs", load: async () => (await import("./commands/sessions.ts")).logsCommand },
  { name: "test", load: async () => (await import("./commands/test.ts")).testCommand },
  { name: "workflows", load: async () => (await import("./commands/workflows/workflows.ts")).workflowsCommand },
  { name: "agents", load: async () => (await import("./commands/entities.ts")).agentsCommand },
  { name: "skills", load: async () => (await import("./commands/entities.ts")).skillsCommand },
  { name: "commands", load: async () => (await import("./commands/commands.ts")).commandsCommand },
  { name: "trust", load: async () => (await import("./commands/trust.ts")).trustCommand },
  { name: "init", load: async () => (await import("./commands/init.ts")).initCommand },
  { name: "config", load: async () => (await import("./commands/config/config.ts")).configCommand },
  { name: "doctor", load: async () => (await import("./commands/doctor.ts")).doctorCommand },
  { name: "completion", load: async () => (await import("./commands/completion.ts")).completionCommand },
  { name: "db", load: async () => (await import("./commands/db.ts")).dbCommand },
  { name: "tasks", load: async () => (await import("./commands/tasks/migrate.ts")).tasksCommand },
];

/** The command that `word` names, or all of them when it names none. */
export async function loadCommands(
  word: string | undefined,
  tree: readonly CommandEntry[] = commandTree,
): Promise<readonly CliCommand[]> {
  const named = tree.find((entry) => entry.name === word);
  return Promise.all((named === undefined ? tree : [named]).map((entry) => entry.load()));
}
