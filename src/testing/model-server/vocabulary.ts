// What each program calls its tools, so that one scenario serves all of them. Observed with the versions that
// docs/agents.md pins; a program that renames a tool fails its contract cases, which is how we notice.

import type { ModelToolCall } from "./scenario.ts";

export interface AgentVocabulary {
  readonly name: string;
  write(path: string, content: string): ModelToolCall;
  shell(command: string): ModelToolCall;
  /** One question with options; free text is allowed where the program can. */
  ask(question: string, options: readonly string[]): ModelToolCall;
  /** `kind`: one of those that the session defines; absent: the program's own for anything. */
  subagent(task: string, prompt: string, kind?: string): ModelToolCall;
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
};
