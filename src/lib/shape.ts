// Small validators for values from outside: every fault is reported with its path, and no library has to be loaded. For
// what a run reads before its first turn; tools that authors write use zod schemas.

import { isRecord } from "./is-record.ts";

export interface ShapeFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type Path = ShapeFault["path"];

/** Returns the value, or adds to the faults; the returned value is then meaningless. */
export type Shape<T> = (value: unknown, faults: ShapeFault[], path: Path) => T;

export type ShapeOf<S> = S extends Shape<infer T> ? T : never;

export type Shaped<T> = { readonly value: T } | { readonly faults: readonly ShapeFault[] };

export function checkShape<T>(shape: Shape<T>, given: unknown): Shaped<T> {
  const faults: ShapeFault[] = [];
  const value = shape(given, faults, []);
  return faults.length > 0 ? { faults } : { value };
}

/** Records a fault, so no caller looks at the returned value. */
function refuse(faults: ShapeFault[], path: Path, message: string): never {
  faults.push({ path, message });
  return undefined as never;
}

interface TextRules {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
  /** Replaces every default message. */
  readonly message?: string;
}

export function text({ min = 0, max = Number.POSITIVE_INFINITY, pattern, message }: TextRules = {}): Shape<string> {
  return (value, faults, path) => {
    if (typeof value !== "string") return refuse(faults, path, message ?? "must be text");
    if (value.length < min) return refuse(faults, path, message ?? "must not be empty");
    if (value.length > max) return refuse(faults, path, message ?? `must be at most ${max} characters`);
    if (pattern?.test(value) === false) return refuse(faults, path, message ?? "has the wrong form");
    return value;
  };
}

interface NumberRules {
  readonly min?: number;
  readonly max?: number;
  readonly isWhole?: boolean;
  readonly message?: string;
}

export function amount(rules: NumberRules = {}): Shape<number> {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, isWhole = false, message } = rules;
  return (value, faults, path) => {
    if (typeof value !== "number" || !Number.isFinite(value))
      return refuse(faults, path, message ?? "must be a number");
    if (isWhole && !Number.isInteger(value)) return refuse(faults, path, message ?? "must be a whole number");
    if (value < min) return refuse(faults, path, message ?? `must be at least ${min}`);
    if (value > max) return refuse(faults, path, message ?? `must be at most ${max}`);
    return value;
  };
}

export function flag(message = "must be true or false"): Shape<boolean> {
  return (value, faults, path) => (typeof value === "boolean" ? value : refuse(faults, path, message));
}

export function oneOf<const T extends string | number | boolean>(values: readonly T[], message?: string): Shape<T> {
  return (value, faults, path) =>
    values.some((each) => each === value)
      ? (value as T)
      : refuse(faults, path, message ?? `must be ${values.map((each) => JSON.stringify(each)).join(" or ")}`);
}

export function anything(): Shape<unknown> {
  return (value) => value;
}

interface ListRules {
  readonly min?: number;
  readonly max?: number;
  readonly message?: string;
}

export function list<T>(
  item: Shape<T>,
  { min = 0, max = Number.POSITIVE_INFINITY, message }: ListRules = {},
): Shape<T[]> {
  return (value, faults, path) => {
    if (!Array.isArray(value)) return refuse(faults, path, message ?? "must be a list");
    if (value.length < min) return refuse(faults, path, "must not be empty");
    if (value.length > max) return refuse(faults, path, `must have at most ${max} entries`);
    return value.map((each, i) => item(each, faults, [...path, i]));
  };
}

export function record<T>(item: Shape<T>, message = "must be an object"): Shape<Record<string, T>> {
  return (value, faults, path) => {
    if (!isRecord(value)) return refuse(faults, path, message);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, item(each, faults, [...path, key])]));
  };
}

/** The first that fits. */
export function anyOf<const S extends readonly Shape<unknown>[]>(
  shapes: S,
  message: string,
): Shape<ShapeOf<S[number]>> {
  return (value, faults, path) => {
    for (const shape of shapes) {
      const tried: ShapeFault[] = [];
      const found = shape(value, tried, path);
      if (tried.length === 0) return found as ShapeOf<S[number]>;
    }
    return refuse(faults, path, message);
  };
}

export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value, faults, path) => (value === undefined ? undefined : shape(value, faults, path));
}

export function withDefault<T>(shape: Shape<T>, fallback: T): Shape<T> {
  return (value, faults, path) => (value === undefined ? fallback : shape(value, faults, path));
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type OptionalKeys<F extends Fields> = { [K in keyof F]: undefined extends ShapeOf<F[K]> ? K : never }[keyof F];
export type ObjectOf<F extends Fields> = { [K in Exclude<keyof F, OptionalKeys<F>>]: ShapeOf<F[K]> } & {
  [K in OptionalKeys<F>]?: Exclude<ShapeOf<F[K]>, undefined>;
};

interface ObjectRules {
  /** What happens to unknown keys; default `drop`. */
  readonly others?: "drop" | "keep" | "refuse";
  readonly message?: string;
}

export function object<F extends Fields>(
  fields: F,
  { others = "drop", message }: ObjectRules = {},
): Shape<ObjectOf<F>> {
  return (value, faults, path) => {
    if (!isRecord(value)) return refuse(faults, path, message ?? "must be an object");
    const made: Record<string, unknown> = others === "keep" ? { ...value } : {};
    if (others === "refuse") {
      const unknown = Object.keys(value).filter((key) => !Object.hasOwn(fields, key));
      if (unknown.length > 0) refuse(faults, path, `has no ${unknown.map((key) => JSON.stringify(key)).join(", ")}`);
    }
    for (const [key, shape] of Object.entries(fields)) {
      const given = Object.hasOwn(value, key) ? value[key] : undefined;
      const found = shape(given, faults, [...path, key]);
      if (found !== undefined) made[key] = found;
      else delete made[key];
    }
    return made as ObjectOf<F>;
  };
}

/** `turns[2].steps[0].write` */
export function spellPath(path: Path): string {
  return path
    .map((part, place) => (typeof part === "number" ? `[${part}]` : `${place === 0 ? "" : "."}${part}`))
    .join("");
}
