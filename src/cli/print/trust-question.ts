// Code that waits for consent, as a user reads it: every file that would run, or what changed in it, and what no hash
// covers.

import type { TrustFile, TrustQuestion } from "../../app/trust.ts";
import { safeLine } from "../../lib/safe-text.ts";

/** Only a clear yes. */
export function isYes(answer: string | undefined): boolean {
  return /^y(?:es)?$/i.test(answer?.trim() ?? "");
}

/** Everything that a user needs to decide. */
export function trustQuestionText(question: TrustQuestion): string {
  const { name, reason, files, packages, runtimeModules, computed } = question;
  const head = `── ${name}: ${reason === "new" ? "never trusted" : "changed since it was trusted"}`;
  const notes = [
    ...packages.map((each) => `It also loads the package "${safeLine(each)}", which is not checked.`),
    ...(runtimeModules.length > 0 ? [`It uses ${runtimeModules.map((each) => safeLine(each)).join(", ")}.`] : []),
    ...computed.map((each) => `It may load code that only shows when it runs: ${safeLine(each)}`),
  ];
  const empty = files.length === 0 ? ["It has none now. Trusting it lets agents load its instruction files."] : [];
  return ["", head, ...notes, ...empty, ...files.map(fileText)].join("\n");
}

function fileText({ name, change, text, difference }: TrustFile): string {
  const title = `\n┌ ${safeLine(name, 400)} (${change})`;
  if (change === "removed" || change === "same") return title;
  const lines = difference ?? (text ?? "").trimEnd().split("\n");
  return [title, ...lines.map((line) => `│ ${line}`)].join("\n");
}
