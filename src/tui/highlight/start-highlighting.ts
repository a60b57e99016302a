// The worker that highlights code and Markdown, with requests for growing texts coalesced before they reach it.

import { getTreeSitterClient } from "@opentui/core";
import { coalesceHighlights } from "./coalesce-highlights.ts";

/** Takes a moment. False where it does not start: then texts are shown as they are written. */
export async function startHighlighting(): Promise<boolean> {
  const client = getTreeSitterClient();
  client.highlightOnce = coalesceHighlights(client.highlightOnce.bind(client), {
    now: () => performance.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
  });
  try {
    await client.initialize();
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return false;
  }
}
