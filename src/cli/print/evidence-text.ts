// What `sessions verify` found, for a user.

import { safeLine, safeText } from "../../lib/safe-text.ts";

interface Shown {
  readonly task: string | null;
  readonly command: string;
  readonly tree: string | null;
  readonly result: "holds" | "fails" | "gone";
  readonly check?: { readonly output: string } | undefined;
}

const words: Readonly<Record<Shown["result"], string>> = {
  holds: "still passes",
  fails: "no longer passes",
  gone: "can't be run again: what it ran on is not in the repository",
};

export function evidenceText({ task, command, tree, result, check }: Shown): string {
  const about = task === null ? "" : ` (task ${safeLine(task, 40)})`;
  const place = tree === null ? "" : ` on tree ${safeLine(tree, 12)}`;
  const line = `${result === "holds" ? "✓" : "✗"} ${safeLine(command, 200)}${place}${about}: ${words[result]}`;
  const output = check?.output.trimEnd() ?? "";
  return output === "" ? line : `${line}\n${safeText(output).replaceAll(/^/gm, "    ")}`;
}

export function verifiedSummary(results: readonly string[]): string {
  const holding = results.filter((result) => result === "holds").length;
  return results.length === 0 ? "The run has no checks that passed." : `${holding} of ${results.length} still pass.`;
}
