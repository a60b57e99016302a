// A watched run that is drawn at most 30 times a second.

import { useEffect, useState } from "react";
import type { RunsPort } from "../runs/runs-port.ts";
import { type WatchedRun, watchRun } from "./watch-run.ts";

const frameMs = 33;

/** The second part changes with everything that is read. */
export function useWatch(port: RunsPort, id: string | undefined): WatchedRun | undefined {
  const [seen, setSeen] = useState<{ readonly run: WatchedRun; readonly count: number } | undefined>(undefined);
  useEffect(() => {
    setSeen(undefined);
    if (id === undefined) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let count = 0;
    const watch = watchRun(port, id, () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setSeen({ run: watch.run, count: ++count });
      }, frameMs);
    });
    return () => {
      watch.stop();
      clearTimeout(timer);
    };
  }, [port, id]);
  return seen?.run;
}
