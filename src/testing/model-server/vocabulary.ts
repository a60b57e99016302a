// The names of each program's tools, so that one scenario works for all programs. Observed with the versions that
// docs/agents.md pins; if a program renames a tool, its contract cases fail.

import type { ModelToolCall } from "./scenario.ts";

export interface TodoItem {
  readonly title: string;
  readonly status: "pending" | "in_progress" | "completed";
}

export interface AgentVocabulary {
  readonly name: string;
  write(path: string, content: string): ModelToolCall;
  shell(command: string): ModelToolCall;
  /** One question with options, and free text where the program supports it. */
  ask(question: string, options: readonly string[]): ModelToolCall;
  /** `kind`: a sub-agent that the session defines. Absent: the program's general one. */
  subagent(task: string, prompt: string, kind?: string): ModelToolCall;
  /** Writes the program's own to-do list: calls to make one after the other. */
  todo(items: readonly TodoItem[]): readonly ModelToolCall[];
}

export const claudeVocabulary: AgentVocabulary = {
  name: "claude",
  write: (path, content) => ({ name: "Write", input: { file_path: path, content } }),
  shell: (command) => ({ name: "Bash", input: { command, description: "run a command" } }),
  ask: (question, options) => ({
    name: "AskUserQuestion",
    input: {
      questions: [
        {
          question,
          header: "Choice",
          multiSelect: false,
          options: options.map((label) => ({ label, description: label })),
        },
      ],
    },
  }),
  subagent: (task, prompt, kind = "general-purpose") => ({
    name: "Agent",
    input: { description: task, prompt, subagent_type: kind, run_in_background: false },
  }),
  // Items are numbered in order of creation.
  todo: (items) => [
    ...items.map(({ title }) => ({ name: "TaskCreate", input: { subject: title, description: title } })),
    ...items.map(({ status }, at) => ({ name: "TaskUpdate", input: { taskId: String(at + 1), status } })),
  ],
};

export const opencodeVocabulary: AgentVocabulary = {
  name: "opencode",
  write: (path, content) => ({ name: "write", input: { filePath: path, content } }),
  shell: (command) => ({ name: "bash", input: { command, description: "run a command" } }),
  ask: (question, options) => ({
    name: "question",
    input: {
      questions: [{ question, header: "Choice", options: options.map((label) => ({ label, description: label })) }],
    },
  }),
  subagent: (task, prompt, kind = "general") => ({
    name: "task",
    input: { description: task, prompt, subagent_type: kind },
  }),
  todo: (items) => [
    {
      name: "todowrite",
      input: { todos: items.map(({ title, status }) => ({ content: title, status, priority: "high" })) },
    },
  ],
};

export const copilotVocabulary: AgentVocabulary = {
  name: "copilot",
  write: (path, content) => ({ name: "create", input: { path, file_text: content } }),
  shell: (command) => ({
    name: "bash",
    input: { command, description: "run a command", mode: "sync", initial_wait: 60 },
  }),
  ask: (question, options) => ({ name: "ask_user", input: { question, choices: [...options], allow_freeform: true } }),
  subagent: (task, prompt, kind = "general-purpose") => ({
    name: "task",
    input: { name: task.replace(/\W+/g, "-"), description: task, prompt, agent_type: kind, mode: "sync" },
  }),
  // A table of the session's database.
  todo: (items) => [
    {
      name: "sql",
      input: {
        description: "Insert todos",
        query: `INSERT OR REPLACE INTO todos (id, title, status) VALUES ${items.map(todoRow).join(", ")}`,
      },
    },
  ],
};

function todoRow({ title, status }: TodoItem, at: number): string {
  return `('todo-${at + 1}', '${title.replaceAll("'", "''")}', '${status === "completed" ? "done" : status}')`;
}
