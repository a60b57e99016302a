// What a chat screen needs before anything else is loaded: the settings that say how it looks, and what masks secrets.

import { createRedactor } from "../../lib/redact.ts";
import { requireValid, resolveSettings } from "../../settings/resolve-settings.ts";
import type { AppParts } from "../parts.ts";

export interface ScreenFacts {
  readonly theme: string | undefined;
  /** Entries like `output=ctrl+y`. */
  readonly keys: readonly string[];
  /** The agents that the settings name, in order, and the model. */
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly redact: ((text: string) => string) | undefined;
}

/** Throws SETTINGS_INVALID. */
export function readScreenFacts({ folders, environment }: Pick<AppParts, "folders" | "environment">): ScreenFacts {
  const settings = requireValid(resolveSettings({ folders, environment }));
  const secrets = { ...environment, ATOMIC_STORE: settings.text("store") };
  return {
    theme: settings.text("theme"),
    keys: settings.list("keys"),
    agent: settings.text("agent"),
    model: settings.text("model"),
    redact: createRedactor(secrets, settings.list("mask.names")),
  };
}
