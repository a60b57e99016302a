// What may be typed after a slash, and its result. A command is made with the few things it needs and returns
// data; the front end that called it carries it out. So a command can't reach into a screen, and a test needs none.

import type { ModelInfo } from "../agents/port.ts";
import type { ToolServer } from "../agents/tool-servers.ts";
import type { OptionValues } from "../lib/declared-options.ts";

/** The order is that of `/help`. Files and folders are what autocompletion offers after `@`. */
export const commandCategories = ["builtin", "workflow", "skill", "agent", "file", "folder"] as const;
export type CommandCategory = (typeof commandCategories)[number];

export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  readonly category: CommandCategory;
  readonly aliases?: readonly string[] | undefined;
  /** Left out of lists and autocompletion; still works when it is typed. */
  readonly isHidden?: boolean | undefined;
  /** What may follow the name; empty: nothing. */
  readonly argumentHint?: string | undefined;
  /** `args` is what was typed after the name, as it is. */
  execute(args: string): CommandResult | Promise<CommandResult>;
}

export type CommandResult =
  /** Something to show. */
  | { readonly kind: "message"; readonly text: string }
  /** It can't be done, and why. */
  | { readonly kind: "refused"; readonly text: string }
  /** A prompt for the chat's session. */
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "subagent"; readonly agent: string; readonly task: string }
  | {
      readonly kind: "workflow";
      readonly workflow: string;
      readonly prompt: string;
      /** Of the workflow's own. */
      readonly options: OptionValues;
      /** Of every run: limits, the model. */
      readonly run: OptionValues;
    }
  /** Absent id: the user chooses one of those that can be resumed. */
  | { readonly kind: "resume"; readonly id?: string | undefined }
  | { readonly kind: "clear" }
  | { readonly kind: "compact"; readonly focus?: string | undefined }
  | { readonly kind: "exit" }
  | { readonly kind: "theme"; readonly theme: "dark" | "light" | "toggle" }
  | { readonly kind: "choose-model"; readonly models: readonly ModelInfo[] }
  | { readonly kind: "model"; readonly model: string }
  | { readonly kind: "servers"; readonly servers: readonly ToolServer[] };
