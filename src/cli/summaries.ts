// What each command does, in one line. Apart from the commands, so that listing them loads none of them.

export const summaries = {
  chat: "Talk to a coding agent in the terminal",
  run: "Run a workflow",
  ralph: "Plan the work, run workers in parallel, verify, review and fix (= run ralph)",
  resume: "Resume a paused, interrupted or failed run",
  answer: "Answer a run that waits, from another terminal",
  pause: "Pause a run from another terminal",
  cancel: "End a run for good, from another terminal",
  land: "Bring what a run's workers finished into your folder",
  sessions: "List, show and remove runs",
  logs: "Print the events of a run (= sessions logs)",
  test: "Run a workflow file on a script, normally and with a crash after every record",
  workflows: "List, show, draw, check and make workflows",
  agents: "List agents, or show one",
  skills: "List skills, or show one",
  commands: "List what can be typed after a slash in the chat, or show one",
  trust: "Look at the code and agent settings of a project, and trust them",
  init: "Make .atomic/ with a first workflow that runs, and types for your editor",
  config: "Read and write settings, and see where each comes from",
  doctor: "Check the installation, settings, files, trust and agents",
  completion: "Print what makes your shell complete Atomic's commands, workflows and runs",
  db: "Prepare the database that keeps runs, where one is set",
  tasks: "Work with task lists",
} as const;

export type CommandName = keyof typeof summaries;
