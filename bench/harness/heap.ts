// The size of the heap once everything that is no longer used is gone.

export async function heapAfterCollection(): Promise<number> {
  const collect: (() => unknown) | undefined = typeof Bun === "undefined" ? globalThis.gc : () => Bun.gc(true);
  if (collect === undefined) throw new Error("Start Node with --expose-gc.");
  // Twice, with a turn of the event loop in between: finalizers free more.
  for (let i = 0; i < 2; i++) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    collect();
  }
  if (typeof Bun === "undefined") return process.memoryUsage().heapUsed;
  const { heapStats } = await import("bun:jsc");
  return heapStats().heapSize;
}
