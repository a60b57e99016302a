// The shapes of a task list on disk, as they come in: tasks.json of version 1.0, and the two older feature lists.
// Unknown keys pass; task-file.ts puts them where they survive.

import {
  amount,
  anyOf,
  anything,
  flag,
  list,
  object,
  oneOf,
  type Shape,
  type ShapeOf,
  text,
  withDefault,
} from "../lib/shape.ts";

const id = anyOf([text({ max: 200, pattern: /\S/ }), amount()], "must be a text that is not empty, or a number");
const words = text();
const name = unlessNull(text({ pattern: /\S/ }));
const ids = unlessNull(list(id, { message: "must be a list of ids" }));

/** A longer one could not be passed to a shell, and one with a NUL byte neither. */
const maxCommandChars = 32_000;
const command = text({
  max: maxCommandChars,
  pattern: /^[^\0]*$/,
  message: `must be one shell command, without NUL bytes and of at most ${maxCommandChars} characters`,
});

/** Planners and tools write null for what they leave out. */
function unlessNull<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value, faults, path) => (value === undefined || value === null ? undefined : shape(value, faults, path));
}

/** Both vocabularies are read; tasks.json is written in the first. */
const status = oneOf(
  ["pending", "in_progress", "passing", "failing", "skipped", "completed", "failed", "blocked"],
  "must be pending, in_progress, passing, failing or skipped",
);

const taskShape = object(
  {
    id,
    name,
    title: name,
    description: unlessNull(words),
    status: withDefault(status, "pending"),
    priority: unlessNull(amount()),
    dependencies: ids,
    blockedBy: ids,
    verify: unlessNull(command),
    error: unlessNull(words),
    metadata: unlessNull(anything()),
  },
  { others: "keep", message: "must be a task" },
);

export const taskFileShape = object(
  {
    version: withDefault(oneOf(["1.0"], 'must be "1.0"; a newer one needs a newer Atomic'), "1.0"),
    tasks: list(taskShape, { message: "must be a list of tasks" }),
    metadata: unlessNull(anything()),
  },
  { others: "keep" },
);

/** 001: `{ "features": [{ "id", "name", "description", "acceptanceCriteria", "status" }] }` */
export const featureFileShape = object(
  { features: list(taskShape, { message: "must be a list of features" }) },
  { others: "keep" },
);

const legacyFeature = object(
  {
    category: anything(),
    description: text({ min: 1 }),
    passes: withDefault(flag(), false),
  },
  { others: "keep", message: "must be a feature" },
);

/** 003, the legacy list: `[{ "category", "description", "steps", "passes" }]` */
export const legacyListShape = list(legacyFeature);

export type TaskOnDisk = ShapeOf<typeof taskShape>;
export type LegacyFeature = ShapeOf<typeof legacyFeature>;
