// A piece of a chat as lines of text, in words rather than signs: a screen reader reads them aloud.

import type { ChatBlock } from "../../chat/chat-view.ts";
import type { AgentQuestion } from "../../agents/questions.ts";
import { counted } from "../../lib/counted.ts";
import { safeLine, safeText } from "../../lib/safe-text.ts";
import { formatDuration } from "../../workflows/sessions/progress-text.ts";

export interface BlockText {
  /** What the agent says is the result; the rest is about how it got there. */
  readonly isResult: boolean;
  readonly text: string;
}

/** Undefined for what plain text leaves out. */
export function blockText(block: ChatBlock): BlockText | undefined {
  switch (block.kind) {
    case "said":
      return { isResult: true, text: safeText(block.text).trimEnd() };
    case "person":
      return aside(`> ${safeText(block.text)}`);
    case "thought":
      return undefined;
    case "tool": {
      const { added, removed, ms, exitCode } = block;
      const facts = [
        ...(exitCode === undefined || exitCode === 0 ? [] : [`exit code ${exitCode}`]),
        ...(added === undefined ? [] : [`${counted(added, "line")} added, ${removed ?? 0} removed`]),
        ...(ms === undefined ? [] : [formatDuration(ms)]),
      ];
      return aside(`[${stateWord(block.state)}] ${title(block.name, block.title)} (${facts.join(", ")})`);
    }
    case "subagent": {
      const facts = `${counted(block.tools, "tool")}, ${formatDuration(block.ms ?? 0)}`;
      return aside(`[${stateWord(block.state)}] sub-agent ${title(block.name, block.task)} (${facts})`);
    }
    case "asked":
      return aside(
        block.answer === undefined ? "[question declined]" : `[question answered] ${safeLine(block.answer, 400)}`,
      );
    case "notice":
      return aside(`${block.level === "warning" ? "warning: " : ""}${safeText(block.text)}`);
    case "compacted":
      return aside(safeText(block.summary));
    case "ended":
      return aside(`[turn ${block.outcome}] ${safeText(block.text)}`);
  }
}

/** What is printed when it begins; undefined if its end says everything. */
export function startText(block: ChatBlock): string | undefined {
  if (block.kind === "tool") return `[running] ${title(block.name, block.title)}`;
  if (block.kind === "subagent") return `[running] sub-agent ${title(block.name, block.task)}`;
  return undefined;
}

export function agentQuestionText({ items }: AgentQuestion): string {
  return items
    .map((item, i) => {
      const options = item.options.map(
        ({ label, description }, n) =>
          `  ${n + 1}. ${safeLine(label)}${description === undefined ? "" : `: ${safeLine(description, 300)}`}`,
      );
      const count = items.length === 1 ? "" : ` (${i + 1} of ${items.length})`;
      return [`Question${count}: ${safeText(item.text)}`, ...options].join("\n");
    })
    .join("\n");
}

function aside(text: string): BlockText {
  return { isResult: false, text };
}

function stateWord(state: string): string {
  return state === "ok" || state === "completed" ? "done" : state;
}

function title(name: string, what: string): string {
  return `${safeLine(name, 60)} ${safeLine(what, 200)}`.trim();
}
