// The trust dialog as a hook: what is asked first, and the keys it takes while something is.

import { useEffect, useRef, useState } from "react";
import type { PressedKey } from "../keys/bind-keys.ts";
import type { ControlAction } from "../keys/key-table.ts";
import { trustPage, trustRoom } from "./trust-dialog.tsx";
import type { TrustPort, TrustRequest } from "./trust-port.ts";
import { firstTrustState, trustKey, trustLines, type TrustState } from "./trust-state.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface AskedTrust {
  readonly subject: TrustRequest | undefined;
  readonly state: TrustState;
  /** True: the key was for the dialog. */
  handle(key: PressedKey, action: ControlAction | undefined, size: Size): boolean;
}

export function useTrust(port: TrustPort): AskedTrust {
  const [waiting, setWaiting] = useState(port.waiting);
  const [state, setState] = useState(firstTrustState);
  const current = useRef(state);
  const set = (next: TrustState): void => {
    current.current = next;
    setState(next);
  };
  useEffect(() => {
    const show = (): void => {
      set(firstTrustState);
      setWaiting(port.waiting);
    };
    show();
    return port.onChange(show);
  }, [port]);
  return {
    subject: waiting?.subject,
    state,
    handle(key, action, { width, height }) {
      const first = port.waiting;
      if (first === undefined) return false;
      const lines = trustLines(first.subject, current.current.isWhole, trustRoom(width)).length;
      const { state: next, choice } = trustKey(current.current, key, action, { lines, page: trustPage(height) });
      set(next);
      if (choice !== undefined) first.choose(choice);
      return true;
    },
  };
}
