// What each command does, in one line. Apart from the commands, so that listing them loads none of them.

export const summaries = {
  chat: "Talk to a coding agent in the terminal",
  run: "Run a workflow",
  ralph: "Plan the work, run workers in parallel, verify, review and fix (= run ralph)",
  resume: "Resume a paused, interrupted or failed run",
  answer: "Answer a run's question, from another terminal",
  pause: "Pause a run from another terminal",
  cancel: "End a run for good, from another terminal",
  land: "Apply the finished work of a run to your folder",
  sessions: "List, show and remove runs",
  logs: "Print the events of a run (= sessions logs)",
  test: "Run a workflow file on a script, normally and with a crash after every record",
  workflows: "List, show, draw, validate and create workflows",
  agents: "List agents, or show one",
  skills: "List skills, or show one",
  commands: "List the slash commands of the chat, or show one",
  trust: "Review the code and agent settings of a project, and trust them",
  init: "Create .atomic/ with a first workflow, and types for your editor",
  config: "Read and write settings, and see where each comes from",
  doctor: "Check the installation, settings, files, trust and agents",
  completion: "Print a completion script for your shell",
  db: "Prepare the database for runs, if one is configured",
  tasks: "Work with task lists",
} as const;

export type CommandName = keyof typeof summaries;
