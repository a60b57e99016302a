// The stored form of a run's position, written and read by snapshot.ts. Part of the journal's format: a change here
// must still read what was written before.

import {
  type Field,
  flagField,
  jsonField,
  jsonObjectField,
  listField,
  nullableField,
  numberField,
  objectField,
  oneOfField,
  optionalField,
  textField,
} from "../../../events/field.ts";
import { isJsonObject } from "../../../lib/is-record.ts";
import type { Json, JsonObject } from "../../../lib/json.ts";
import type { StateValue } from "../model/fold.ts";
import type { TokenPhase } from "../schedule/token.ts";

export type StoredBranchContext = {
  readonly path: string;
  readonly visits: { readonly [id: string]: number };
  readonly loops: { readonly [id: string]: number };
  readonly segments: readonly number[];
  readonly fork: number | null;
  readonly branches: readonly number[];
  readonly passed: readonly number[];
};

export type StoredDelta = {
  readonly combined: JsonObject;
  readonly listed?: { readonly [key: string]: readonly Json[] } | null;
  readonly at: number;
  readonly by?: string;
  readonly writers?: { readonly [key: string]: string };
};

export type StoredNodeFailure = { readonly node: string; readonly message: string; readonly code?: string };

/** Types and not interfaces, so that they are JSON to the compiler too. */
export type GraphSnapshot = {
  readonly base: StateValue;
  readonly segments: readonly { readonly order: readonly number[]; readonly delta: StoredDelta }[];
  readonly forks: readonly {
    readonly key: string;
    readonly node: string;
    readonly names: readonly string[];
    /** The branch that was forked. Stored histories call a branch `seat`. */
    readonly seat: StoredBranchContext;
    readonly live: number;
    readonly lost: number;
    readonly failures: readonly string[];
  }[];
  readonly tokens: readonly {
    readonly seat: StoredBranchContext;
    readonly at: string;
    readonly visit: number;
    readonly phase: TokenPhase;
    readonly holdsSlot: boolean;
    readonly failure: StoredNodeFailure | null;
    /** Absent in snapshots of earlier versions, and where nothing was caught. */
    readonly caught?: StoredNodeFailure;
  }[];
  readonly ended: readonly number[];
  /** The graph has finished, with `base` as its last state. */
  readonly isFinal: boolean;
  readonly nested: { readonly [path: string]: GraphSnapshot };
};

/** A store guarantees the bytes of a snapshot, but not who wrote them. */
export function isGraphSnapshot(value: unknown): value is GraphSnapshot {
  stored ??= storedFields();
  return stored.accepts(value) && Object.values(value.nested).every(isGraphSnapshot);
}

type StoredFields = Field<{ readonly nested: JsonObject }>;

/** Created when the first snapshot is read: a program that only builds graphs never needs them. */
let stored: StoredFields | undefined;

function storedFields(): StoredFields {
  const counts = mapOf(numberField());
  const seat = objectField({
    path: textField(),
    visits: counts,
    loops: counts,
    segments: listField(numberField()),
    fork: nullableField(numberField()),
    branches: listField(numberField()),
    passed: listField(numberField()),
  });
  const failure = objectField({ node: textField(), message: textField(), code: optionalField(textField()) });
  const delta = objectField({
    combined: jsonObjectField("What is changed, one value per key."),
    listed: optionalField(nullableField(mapOf(listField(jsonField("A value."))))),
    at: numberField(),
    by: optionalField(textField()),
    writers: optionalField(mapOf(textField())),
  });
  return objectField({
    base: jsonObjectField("The state."),
    segments: listField(objectField({ order: listField(numberField()), delta })),
    forks: listField(
      objectField({
        key: textField(),
        node: textField(),
        names: listField(textField()),
        seat,
        live: numberField(),
        lost: numberField(),
        failures: listField(textField()),
      }),
    ),
    tokens: listField(
      objectField({
        seat,
        at: textField(),
        visit: numberField(),
        phase: oneOfField(["queued", "moving", "parked", "over"]),
        holdsSlot: flagField(),
        failure: nullableField(failure),
        caught: optionalField(failure),
      }),
    ),
    ended: listField(numberField()),
    isFinal: flagField(),
    nested: jsonObjectField("Subgraphs, by their paths."),
  });
}

/** An object with any keys, and values of one kind. */
function mapOf<T>(item: Field<T>): Field<{ readonly [key: string]: T }> {
  return {
    accepts: (value): value is { readonly [key: string]: T } =>
      isJsonObject(value) && Object.values(value).every((each) => item.accepts(each)),
    schema: {},
  };
}
