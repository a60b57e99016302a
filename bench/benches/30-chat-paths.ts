// A search among the paths of a large repository, as completion after an @ makes it at every key: the slowest key of a
// few words that are typed letter by letter.

import { createPathIndex } from "../../src/lib/path-index.ts";
import { defineBench } from "../harness/bench.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const words = ["src", "app", "chat", "screen", "main", "engine", "graph", "node", "test", "lib", "journal", "model"];
const typed = ["chatscreen", "src/app", "main-99", "ts", "e"];
const limitNs = 50e6;

function pathsOf(count: number): readonly string[] {
  const word = (i: number): string => words[(Math.imul(i, 2654435761) >>> 8) % words.length] ?? "";
  return Array.from(
    { length: count },
    (_, i) => `${word(i)}/${word(i * 3 + 1)}/${word(i * 7)}-${i % 97}/${word(i * 11)}-${word(i * 13)}-${i}.ts`,
  );
}

export default defineBench({
  title: "Find a path among 100,000 after an @",
  part: "screens",
  unit: "key",
  rounds: { full: 5, quick: 3 },
  subjects: {
    atomic: {
      async measure() {
        const index = createPathIndex();
        index.add(pathsOf(100_000), false);
        let worst = 0;
        for (const word of typed) {
          for (let letters = 1; letters <= word.length; letters++) {
            const before = process.cpuUsage();
            index.search(word.slice(0, letters), 50);
            const { user, system } = process.cpuUsage(before);
            worst = Math.max(worst, (user + system) * 1e3);
          }
        }
        return { cpuNs: worst };
      },
    },
  },
  rows: (measured) => [
    atMost("Find a path among 100,000: CPU of the slowest key", measured.median("atomic", "cpuNs"), limitNs, duration),
  ],
});
