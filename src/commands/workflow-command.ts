// A slash command for a workflow. What it takes comes from the workflow's own declaration; no name is special here.

import type { WorkflowInfo } from "../catalog/modules/workflow-file.ts";
import { argumentHint, type DeclaredOptions } from "../lib/declared-options.ts";
import { AtomicError } from "../lib/errors.ts";
import type { CommandResult, SlashCommand } from "./slash-command.ts";
import { splitWords } from "./slash-line.ts";

export interface WorkflowCommandPorts {
  /** The name of the workflow that runs in this chat, if one does: there is one at a time. */
  readonly activeWorkflow: () => string | undefined;
  /** What every run takes, beside the workflow's own options. */
  readonly runOptions: DeclaredOptions;
}

type WorkflowFacts = Pick<WorkflowInfo, "name" | "description" | "options" | "prompt" | "argumentHint">;

/** `aliases`: those that it got. */
export function workflowCommand(
  info: WorkflowFacts,
  aliases: readonly string[],
  ports: WorkflowCommandPorts,
): SlashCommand {
  const { name, description } = info;
  return {
    name,
    description,
    aliases,
    category: "workflow",
    argumentHint: info.argumentHint ?? argumentHint(info.prompt, info.options),
    async execute(args) {
      const running = ports.activeWorkflow();
      if (running !== undefined) return { kind: "refused", text: `A workflow is already active (${running}).` };
      try {
        return await read(info, args, ports.runOptions);
      } catch (thrown) {
        if (!AtomicError.is(thrown, "USAGE")) throw thrown;
        return { kind: "refused", text: thrown.message };
      }
    },
  };
}

const resume = { type: "string", description: "Resume a paused run", value: "ID" } as const;

async function read(info: WorkflowFacts, args: string, runOptions: DeclaredOptions): Promise<CommandResult> {
  // A listing parses nothing, and need not wait for the parser.
  const { parseWords } = await import("../lib/parse-options.ts");
  const { name } = info;
  const { values, rest } = parseWords(wordsOf(args), { resume, ...runOptions, ...info.options }, `atomic run ${name}`);
  const { resume: id } = values;
  if (typeof id === "string" && info.options["resume"] === undefined) return { kind: "resume", id };
  const prompt = rest.join(" ").trim();
  const problem = promptProblem(info, prompt);
  if (problem !== undefined) return { kind: "refused", text: problem };
  const pick = (from: DeclaredOptions) => Object.fromEntries(Object.keys(from).map((key) => [key, values[key]]));
  return { kind: "workflow", workflow: name, prompt, options: pick(info.options), run: pick(runOptions) };
}

/** A line without options is one prompt, with its line breaks and quotation marks; quotes around all of it go. */
function wordsOf(args: string): readonly string[] {
  if (/(?:^|\s)--?[a-z]/i.test(args)) return splitWords(args);
  const text = args.trim();
  const quoted = /^(["'])((?:(?!\1)[\s\S])*)\1$/.exec(text);
  return ["--", quoted?.[2] ?? text];
}

/** Undefined when the prompt fits what the workflow asks for. */
function promptProblem(info: Pick<WorkflowInfo, "name" | "prompt">, prompt: string): string | undefined {
  if (info.prompt === "required" && prompt.trim() === "") {
    return `Please provide a prompt for the ${info.name} workflow.`;
  }
  return info.prompt === "none" && prompt.trim() !== "" ? `The ${info.name} workflow takes no prompt.` : undefined;
}
