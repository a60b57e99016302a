// A clock for screens that ticks only while something runs.

import { useEffect, useState } from "react";

const tickMs = 1000;

/** The time, once a second, while something runs. */
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
