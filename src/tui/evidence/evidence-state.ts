// What the evidence screen shows beside the evidence, and what keys do to it. Pure.

import type { EvidenceAction } from "../keys/key-table.ts";

export interface EvidenceState {
  readonly selected: number;
  /** How often the user asked to look again. */
  readonly looks: number;
  readonly areKeysOpen: boolean;
  readonly isLeaving: boolean;
}

export const firstEvidenceState: EvidenceState = { selected: 0, looks: 0, areKeysOpen: false, isLeaving: false };

export type EvidenceEffect = { readonly type: "leave" } | { readonly type: "back" };

export function evidenceKey(
  before: EvidenceState,
  action: EvidenceAction | undefined,
  { count, page }: { readonly count: number; readonly page: number },
): { readonly state: EvidenceState; readonly effects: readonly EvidenceEffect[] } {
  const state = { ...before, isLeaving: false };
  if (state.areKeysOpen) return { state: { ...state, areKeysOpen: false }, effects: [] };
  const move = (by: number): EvidenceState => ({
    ...state,
    selected: Math.max(0, Math.min(count - 1, state.selected + by)),
  });
  switch (action) {
    case "up":
      return { state: move(-1), effects: [] };
    case "down":
      return { state: move(1), effects: [] };
    case "pageUp":
      return { state: move(-page), effects: [] };
    case "pageDown":
      return { state: move(page), effects: [] };
    case "lookAgain":
      return { state: { ...state, looks: state.looks + 1 }, effects: [] };
    case "keys":
      return { state: { ...state, areKeysOpen: true }, effects: [] };
    case "close":
      return { state, effects: [{ type: "back" }] };
    case "interrupt":
      return before.isLeaving
        ? { state, effects: [{ type: "leave" }] }
        : { state: { ...state, isLeaving: true }, effects: [] };
    case undefined:
      return { state, effects: [] };
  }
}
