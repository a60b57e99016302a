// A run at a terminal: its log scrolls, and below it is what the run is doing right now. Made only where there is a
// terminal to draw on; everything that is printed meanwhile has to go through `above` or `log`.

import type { NodeNote } from "../../app/progress-note.ts";
import type { RunEvent } from "../../events/run-event.ts";
import type { SessionView } from "../../workflows/sessions/session-view.ts";
import type { Screen } from "../io.ts";
import type { Style } from "../style.ts";
import { createLiveArea } from "./live-area.ts";
import { liveLines, type LiveRow, liveRows } from "./live-lines.ts";
import { OpenVisits } from "./open-visits.ts";
import { nextCommands, type RunningCommand } from "../../workflows/sessions/running-commands.ts";

export interface LiveOutput {
  /** From now on the run is shown as this says. */
  watch(read: () => SessionView): void;
  event(event: RunEvent): void;
  progress(note: NodeNote): void;
  /** Prints above the lines, at once. */
  above(print: () => void): void;
  /** A line of the run's log. */
  log(line: string): void;
  /** Runs it with the lines taken away: the person is asked something. */
  aside<T>(body: () => Promise<T>): Promise<T>;
  close(): void;
}

export interface LiveOutputOptions {
  readonly screen: Screen;
  readonly style: Style;
  readonly now: () => number;
}

export function openLiveOutput({ screen, style, now }: LiveOutputOptions): LiveOutput {
  let read: (() => SessionView) | undefined;
  let commands: readonly RunningCommand[] = [];
  let visits: OpenVisits | undefined;
  let asides = 0;
  let known: { view: SessionView; commands: readonly RunningCommand[]; rows: readonly LiveRow[] } | undefined;

  const area = createLiveArea({
    write: screen.write,
    lines(turn) {
      const view = read?.();
      if (view === undefined || view.lastSeq === 0 || view.status !== "running") return [];
      return liveLines(view, { ...screen.size(), now: now(), turn, style, activities: activitiesOf(view) });
    },
  });

  /** Worked out when something has changed: mostly only the time has. */
  function activitiesOf(view: SessionView): readonly LiveRow[] {
    if (known === undefined || known.view !== view || known.commands !== commands)
      known = { view, commands, rows: liveRows(view, commands, (visits ??= new OpenVisits(view)).of(view)) };
    return known.rows;
  }

  const release = printThrough(area.above);
  // What ends the process before `close`, such as an error that nothing caught, must not take the end of the log along.
  process.on("exit", area.close);
  return {
    watch(reader) {
      read = reader;
      area.start();
    },
    event(event) {
      if (event.type === "node.started") visits?.add(event.key);
    },
    progress(note) {
      commands = nextCommands(commands, note, now());
    },
    above: area.above,
    log: area.log,
    async aside(body) {
      if (asides++ === 0) area.hide();
      try {
        return await body();
      } finally {
        if (--asides === 0) area.show();
      }
    },
    close() {
      release();
      process.off("exit", area.close);
      area.close();
    },
  };
}

const printing = ["log", "info", "warn", "error", "debug"] as const;

/** What nodes print comes above the lines too. Returns what undoes it. */
function printThrough(above: LiveOutput["above"]): () => void {
  const own = printing.map((name) => ({ name, print: console[name] }));
  for (const { name, print } of own) console[name] = (...parts: unknown[]) => above(() => print.apply(console, parts));
  return () => {
    for (const { name, print } of own) console[name] = print;
  };
}
