// The answer to an agent that asks whether a tool may run. It may: tools run without asking, here as in all backends.

import { listIn, textIn, type Fields } from "../fields.ts";

export interface PermissionAnswer {
  readonly outcome: { readonly outcome: "selected"; readonly optionId: string } | { readonly outcome: "cancelled" };
}

/** For this once where the agent offers that: a rule that it would keep is the user's to make. */
export function approve(params: Fields): PermissionAnswer {
  const options = listIn(params, "options");
  const chosen =
    options.find((option) => textIn(option, "kind") === "allow_once") ??
    options.find((option) => textIn(option, "kind") === "allow_always");
  const optionId = chosen === undefined ? undefined : textIn(chosen, "optionId");
  return optionId === undefined ? cancelled : { outcome: { outcome: "selected", optionId } };
}

/** The tool's result is no longer awaited. */
export const cancelled: PermissionAnswer = { outcome: { outcome: "cancelled" } };
