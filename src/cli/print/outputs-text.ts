// The results of a workflow's nodes, for a workflow that writes no report: its answer, as text.

import { safeLine, safeText } from "../../lib/safe-text.ts";

export function outputsText(outputs: unknown): string {
  if (typeof outputs !== "object" || outputs === null) return "";
  const texts = Object.entries(outputs).flatMap(([node, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return value === null || text.trim() === "" ? [] : [{ node, text: safeText(text).trimEnd() }];
  });
  if (texts.length === 1) return texts[0]?.text ?? "";
  return texts.map(({ node, text }) => `${safeLine(node)}:\n${text}`).join("\n\n");
}
