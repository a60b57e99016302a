// All commands of the program, in the order of `atomic --help`. A new command is one file in commands/ and one line here.

import type { CliCommand } from "./command.ts";
import { answerCommand } from "./commands/answer.ts";
import { commandsCommand } from "./commands/commands.ts";
import { configCommand } from "./commands/config/config.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { agentsCommand, skillsCommand } from "./commands/entities.ts";
import { initCommand } from "./commands/init.ts";
import { pauseCommand } from "./commands/pause.ts";
import { resumeCommand } from "./commands/resume.ts";
import { ralphCommand, runCommand } from "./commands/run.ts";
import { sessionsCommand } from "./commands/sessions.ts";
import { tasksCommand } from "./commands/tasks/migrate.ts";
import { trustCommand } from "./commands/trust.ts";
import { workflowsCommand } from "./commands/workflows/workflows.ts";

export const commandTree: readonly CliCommand[] = [
  runCommand,
  ralphCommand,
  resumeCommand,
  answerCommand,
  pauseCommand,
  sessionsCommand,
  workflowsCommand,
  agentsCommand,
  skillsCommand,
  commandsCommand,
  trustCommand,
  initCommand,
  configCommand,
  doctorCommand,
  tasksCommand,
];
