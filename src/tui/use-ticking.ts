// The current time for parts that count seconds, while they count. Only the parts that show it are drawn again; all of
// them in the same moment, at full seconds, so that a second costs one frame.

import { createContext, useContext, useEffect, useState } from "react";

const tickMs = 1000;

/** False for what is not shown at the moment. */
export const Ticking = createContext(true);

export function useTicking(now: () => number, isRunning: boolean): number {
  const isShown = useContext(Ticking);
  const [time, setTime] = useState(now());
  useEffect(() => {
    setTime(now());
    if (!isRunning || !isShown) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    const wait = (): void => {
      timer = setTimeout(tick, tickMs - (Date.now() % tickMs));
    };
    const tick = (): void => {
      setTime(now());
      wait();
    };
    wait();
    return () => clearTimeout(timer);
  }, [now, isRunning, isShown]);
  return time;
}
