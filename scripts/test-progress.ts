// What `npm test` shows of a test run: failures in full with their file, and the progress. Reads the lines that Bun's
// runner prints and omits tests that pass. Unknown lines are printed, so that nothing is lost.

export interface TestProgressOptions {
  /** How many test files there are. */
  readonly files: number;
  /** `line`: one line, redrawn, for a terminal. `steps`: a line for every tenth of the files. `none`: failures only. */
  readonly show: "line" | "steps" | "none";
  readonly write: (text: string) => void;
  readonly now: () => number;
  readonly columns: () => number;
}

export interface TestProgress {
  /** Takes one line of the runner's output. */
  line(text: string): void;
  /** Removes the progress line. */
  end(): void;
}

const heading = /^(\S.*\.(?:test|terminal)\.tsx?):$/;
const passing = /^\((pass|skip|todo)\) /;
const failing = /^\(fail\) /;
const banner = /^bun test v/;
/** The runner's own counts: `npm test` prints the sum at its end. */
const counts = /^ *[\d,]+ (pass|skip|todo|fail|filtered out|errors?|snapshots?|expect\(\) calls)\b/;
const ending = /^Ran [\d,]+ tests? across /;
/** With many failures the runner repeats them at its end. */
const repeated = /^[\d,]+ tests? failed:$/;
const redrawMs = 100;

export function createTestProgress({ files, show, write, now, columns }: TestProgressOptions): TestProgress {
  const startedAt = now();
  const seen = new Set<string>();
  let current = "";
  let isHeadingDue = false;
  let isBlankDue = false;
  let isRepeating = false;
  let passed = 0;
  let failed = 0;
  let shownTenth = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isDrawn = false;

  function print(text: string): void {
    end();
    write(`${text}\n`);
  }

  function status(): string {
    const seconds = Math.round((now() - startedAt) / 1000);
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    // The runner may know a file that we did not count: never print "5 of 4".
    return `${seen.size} of ${Math.max(files, seen.size)} files, ${passed} passed, ${failed} failed, ${time}`;
  }

  function draw(): void {
    if (show === "line" && now() - drawnAt >= redrawMs) {
      drawnAt = now();
      isDrawn = true;
      write(`\r\u001B[K${`${status()}  ${current}`.slice(0, Math.max(0, columns() - 1))}`);
    }
    const tenth = Math.floor((seen.size * 10) / Math.max(files, 1));
    if (show === "steps" && tenth > shownTenth) {
      shownTenth = tenth;
      print(status());
    }
  }

  function end(): void {
    if (isDrawn) write("\r\u001B[K");
    isDrawn = false;
  }

  function take(text: string): void {
    const file = heading.exec(text)?.[1];
    if (file !== undefined) {
      isHeadingDue = file !== current || isHeadingDue;
      isBlankDue &&= !isHeadingDue;
      current = file;
      seen.add(file);
    } else if (passing.test(text)) {
      if (text.startsWith("(pass)")) passed++;
    } else if (text === "") {
      isBlankDue = !isHeadingDue && current !== "";
    } else if (repeated.test(text)) {
      isRepeating = true;
      print(`\n${text}`);
    } else if (!banner.test(text) && !counts.test(text)) {
      if (failing.test(text) && !isRepeating) failed++;
      if (isHeadingDue && !isRepeating && !ending.test(text)) print(`\n${current}:`);
      print(isBlankDue && !ending.test(text) ? `\n${text}` : text);
      isHeadingDue = false;
      isBlankDue = false;
    }
  }

  return {
    line(text) {
      take(text);
      draw();
    },
    end,
  };
}
