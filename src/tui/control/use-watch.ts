// Hooks of mission control: a watched run that is drawn at most 30 times a second, and a clock that ticks once a second
// only while something runs.

import { useEffect, useState } from "react";
import type { RunsPort } from "../runs/runs-port.ts";
import { type WatchedRun, watchRun } from "./watch-run.ts";

const frameMs = 33;
const tickMs = 1000;

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

export function useTicking(now: () => number, isRunning: boolean): number {
  const [time, setTime] = useState(now());
  useEffect(() => {
    setTime(now());
    if (!isRunning) return undefined;
    const timer = setInterval(() => setTime(now()), tickMs);
    return () => clearInterval(timer);
  }, [now, isRunning]);
  return time;
}
