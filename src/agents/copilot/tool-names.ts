// What a definition of an agent calls tools, in the program's own words. Definitions come with lower-case names, of
// whichever program their author had in mind; one name may be several tools here, some of them of other
// versions of the program.

const names: Readonly<Record<string, readonly string[]>> = {
  agent: ["task", "read_agent", "list_agents", "write_agent"],
  askuserquestion: ["ask_user"],
  bash: ["bash", "read_bash", "write_bash", "stop_bash", "list_bash"],
  edit: ["edit", "apply_patch", "str_replace_editor"],
  execute: ["bash", "read_bash", "write_bash", "stop_bash", "list_bash"],
  grep: ["grep", "rg"],
  list: ["view"],
  ls: ["view"],
  multiedit: ["edit", "apply_patch", "str_replace_editor"],
  notebookedit: ["edit"],
  notebookread: ["view"],
  patch: ["edit", "apply_patch", "str_replace_editor"],
  question: ["ask_user"],
  read: ["view"],
  search: ["grep", "rg", "glob"],
  shell: ["bash", "read_bash", "write_bash", "stop_bash", "list_bash"],
  task: ["task", "read_agent", "list_agents", "write_agent"],
  todowrite: ["update_todo", "sql"],
  webfetch: ["web_fetch"],
  websearch: ["web_search"],
  write: ["create"],
};

export const copilotQuestionTool = "ask_user";

export function copilotToolNames(tools: readonly string[]): string[] {
  const own = tools.flatMap((tool) => {
    const name = tool.toLowerCase();
    return Object.hasOwn(names, name) ? (names[name] ?? []) : [tool];
  });
  return [...new Set(own)];
}
