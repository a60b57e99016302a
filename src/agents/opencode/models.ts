// Models by name. OpenCode's own form is `provider/model`; a bare name is looked up.

import type { ModelInfo } from "../port.ts";
import { turnError, turnFailure } from "../failures.ts";
import type { ModelRef, Providers } from "./wire.ts";

export function modelList(providers: Providers): readonly ModelInfo[] {
  return providers.flatMap((provider) =>
    Object.values(provider.models).map(({ id, name, limit }) => ({
      id: `${provider.id}/${id}`,
      name,
      description: provider.name,
      // 0: not known.
      ...(limit.context > 0 && { contextTokens: limit.context }),
    })),
  );
}

export function contextWindow(providers: Providers, { providerID, modelID }: ModelRef): number | undefined {
  const context = providers.find(({ id }) => id === providerID)?.models[modelID]?.limit.context;
  return context === undefined || context === 0 ? undefined : context;
}

/** `sonnet` is the same as `anthropic/sonnet`. */
export function isSameModel(asked: string, served: string): boolean {
  return asked === served || served.endsWith(`/${asked}`);
}

export async function resolveModel(asked: string, providers: () => Promise<Providers>): Promise<ModelRef> {
  const slash = asked.indexOf("/");
  if (slash > 0) return { providerID: asked.slice(0, slash), modelID: asked.slice(slash + 1) };
  for (const provider of await providers())
    if (Object.hasOwn(provider.models, asked)) return { providerID: provider.id, modelID: asked };
  throw turnError(
    turnFailure(
      "refused",
      `OpenCode has no model "${asked}". Name it as provider/model; "opencode models" lists them.`,
    ),
  );
}
