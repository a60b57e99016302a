// Both call shapes of a factory: one object with `id`, or `(id, options)` as shorthand.

import { AtomicError } from "../../../lib/errors.ts";
import type { NodeDefinition, RetryConfig } from "../model/node.ts";

export function withId<C extends { readonly id: string }>(
  factory: string,
  first: C | string,
  options: Omit<C, "id"> | undefined,
): C {
  const config = typeof first === "string" ? ({ ...options, id: first } as C) : first;
  if (typeof config !== "object" || config === null || typeof config.id !== "string" || config.id.trim() === "") {
    throw new AtomicError(
      "BUILDER_MISUSE",
      `${factory}: needs an id, either as ${factory}({ id, … }) or as ${factory}(id, { … }).`,
    );
  }
  return config;
}

/** The same for factories that have a default id. */
export function withOptionalId<C extends { readonly id?: string | undefined }>(
  factory: string,
  first: C | string,
  options: Omit<C, "id"> | undefined,
): C {
  const config = typeof first === "string" ? ({ ...options, id: first } as C) : first;
  if (typeof config !== "object" || config === null) {
    throw new AtomicError("BUILDER_MISUSE", `${factory}: needs an object of options.`);
  }
  return config.id === undefined ? config : withId(factory, config as C & { id: string }, undefined);
}

/** What every factory takes besides its own. */
export interface CommonNodeOptions<S> {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly retry?: RetryConfig | undefined;
  readonly onError?: NodeDefinition<S>["onError"];
  readonly timeoutMs?: number | undefined;
}

/** The common options that are set, to spread into a definition. */
export function commonOf<S>(config: CommonNodeOptions<S>): CommonNodeOptions<S> {
  const { name, description, retry, onError, timeoutMs } = config;
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(retry === undefined ? {} : { retry }),
    ...(onError === undefined ? {} : { onError }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}
