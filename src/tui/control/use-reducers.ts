// The custom reducers of a run's workflow, loaded when a state that needs them is shown.

import { useEffect, useState } from "react";
import { ownReducer } from "../../workflows/graph/model/reducer-names.ts";
import type { OwnReducers, RunsPort } from "../runs/runs-port.ts";
import type { RunMoment } from "./run-facts.ts";

export function useReducers(
  port: RunsPort,
  run: string | undefined,
  shown: RunMoment | undefined,
): OwnReducers | undefined {
  const [reducers, setReducers] = useState<OwnReducers | undefined>(undefined);
  const isNeeded = shown !== undefined && Object.values(shown.reducers).includes(ownReducer);
  useEffect(() => {
    if (run === undefined || !isNeeded) return undefined;
    let isOver = false;
    void port.reducers(run).then((loaded) => {
      if (!isOver) setReducers(loaded);
    });
    return () => {
      isOver = true;
    };
  }, [port, run, isNeeded]);
  return reducers;
}
