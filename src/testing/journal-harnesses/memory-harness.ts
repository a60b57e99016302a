// MemorySaver under the journal contract. The store is its own storage, and no other process can reach it.

import { MemorySaver } from "../../journal/memory.ts";
import type { JournalHarness } from "../contracts/journal-harness.ts";

export async function memoryHarness(): Promise<JournalHarness> {
  const saver = new MemorySaver();
  return { store: () => saver, killOwners: () => saver.forgetOwners(), dispose: async () => {} };
}
