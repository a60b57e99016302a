// Models by name. OpenCode's own form is `provider/model`; a bare name is looked up.

import type { ModelInfo } from "../port.ts";
import { turnError, turnFailure } from "../failures.ts";
import type { Provider } from "./wire-requests.ts";
import type { ModelRef } from "./wire.ts";

export function modelList(providers: readonly Provider[]): readonly ModelInfo[] {
  return providers.flatMap((provider) =>
    [...provider.models.values()].map(({ id, name, contextTokens }) => ({
      id: `${provider.id}/${id}`,
      name,
      description: provider.name,
      contextTokens,
    })),
  );
}

export function contextWindow(providers: readonly Provider[], { providerID, modelID }: ModelRef): number | undefined {
  return providers.find(({ id }) => id === providerID)?.models.get(modelID)?.contextTokens;
}

/** `sonnet` is the same as `anthropic/sonnet`. */
export function isSameModel(asked: string, served: string): boolean {
  return asked === served || served.endsWith(`/${asked}`);
}

export async function resolveModel(asked: string, providers: () => Promise<readonly Provider[]>): Promise<ModelRef> {
  const slash = asked.indexOf("/");
  if (slash > 0) return { providerID: asked.slice(0, slash), modelID: asked.slice(slash + 1) };
  for (const provider of await providers())
    if (provider.models.has(asked)) return { providerID: provider.id, modelID: asked };
  throw turnError(
    turnFailure(
      "refused",
      `OpenCode has no model "${asked}". Name it as provider/model; "opencode models" lists them.`,
    ),
  );
}
