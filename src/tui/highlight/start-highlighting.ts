// The worker that highlights code and Markdown, with requests for growing texts coalesced before they reach it.

import { getTreeSitterClient, type TreeSitterClient } from "@opentui/core";
import { coalesceHighlights } from "./coalesce-highlights.ts";

/** Of every kind that a text of an agent has: what is in a line is another language for the parser. */
const firstText = "# a\n\n**b** `c`\n";

/**
 * Takes a moment: OpenTUI shows nothing of a text until it is highlighted, and the first one waits for its parser, so a
 * text is highlighted here before. False where it does not start: then texts are shown as they are written.
 */
export async function startHighlighting(
  client: Pick<TreeSitterClient, "initialize" | "highlightOnce"> = getTreeSitterClient(),
): Promise<boolean> {
  client.highlightOnce = coalesceHighlights(client.highlightOnce.bind(client), {
    now: () => performance.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
  });
  try {
    await client.initialize();
    await client.highlightOnce(firstText, "markdown");
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return false;
  }
}
