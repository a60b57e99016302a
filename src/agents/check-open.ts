// The check of what `open` is asked for, against what the backend can do. Every backend's `open` starts with it, so
// that nothing a caller passes is silently ignored.

import { isAbsolute } from "node:path";
import { requireCapability, type Capabilities } from "./capabilities.ts";
import type { OpenOptions } from "./port.ts";

export function checkOpenOptions(
  backend: { readonly kind: string; readonly capabilities: Capabilities },
  options: OpenOptions,
): void {
  if (!isAbsolute(options.cwd))
    throw new TypeError(`The folder of an agent's session must be absolute, and is "${options.cwd}"`);
  if (options.model !== undefined) requireCapability(backend, "modelChoice");
  if (options.resume !== undefined) requireCapability(backend, "resume");
  if (options.agent !== undefined && options.agent.prompt !== "") requireCapability(backend, "systemPrompt");
  if ((options.subagents ?? []).length > 0) requireCapability(backend, "subagentDefinitions");
  if ((options.tools ?? []).length > 0) requireCapability(backend, "inProcessTools");
}
