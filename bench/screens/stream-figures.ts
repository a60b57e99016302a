// What both screens that stream are measured by: a key pressed now and then, the frames drawn, their CPU and memory.

import { writeFileSync } from "node:fs";

export class StreamFigures {
  #frames = 0;
  #pressedAt: number | undefined;
  readonly #latencies: number[] = [];

  /** A frame is on the screen. The key pressed last, if any, is on it. */
  countFrame(): void {
    this.#frames++;
    if (this.#pressedAt === undefined) return;
    this.#latencies.push(performance.now() - this.#pressedAt);
    this.#pressedAt = undefined;
  }

  /** Calls `write` every 5 ms and `press` about five times a second, for so long, and writes the figures to the file. */
  async measure(file: string, lastsMs: number, write: () => void, press: (pressed: number) => void): Promise<void> {
    const writing = setInterval(write, 5);
    const typing = setInterval(() => {
      if (this.#pressedAt !== undefined) return;
      this.#pressedAt = performance.now();
      press(this.#latencies.length);
    }, 211);
    const [from, cpu, before] = [performance.now(), process.cpuUsage(), this.#frames];
    let early = 0;
    setTimeout(() => (early = process.memoryUsage().rss), lastsMs / 3);
    await new Promise((resolve) => setTimeout(resolve, lastsMs));
    const { user, system } = process.cpuUsage(cpu);
    const drawn = this.#frames - before;
    const took = performance.now() - from;
    clearInterval(writing);
    clearInterval(typing);
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    writeFileSync(
      file,
      JSON.stringify({
        framesPerSecond: (drawn * 1000) / took,
        frameCpuNs: drawn === 0 ? 0 : ((user + system) * 1e3) / drawn,
        keyNs: (sorted[Math.floor(sorted.length * 0.95)] ?? 0) * 1e6,
        grownBytes: process.memoryUsage().rss - early,
      }),
    );
  }
}
