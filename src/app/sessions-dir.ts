// Where runs are kept: in Atomic's home, or where a user's setting says.

import { isAbsolute, join, resolve } from "node:path";
import type { Settings } from "../settings/resolve-settings.ts";
import type { AppParts } from "./parts.ts";

export function sessionsDir(settings: Settings, { folders }: Pick<AppParts, "folders">): string {
  const chosen = settings.text("sessions.dir");
  if (chosen === undefined) return join(folders.atomicHome, "workflows", "sessions");
  return isAbsolute(chosen) ? chosen : resolve(folders.projectDir, chosen);
}
