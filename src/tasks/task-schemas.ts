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
  optional,
  record,
  type ShapeOf,
  text,
  withDefault,
} from "../lib/shape.ts";

const id = anyOf([text({ max: 200, pattern: /\S/ }), amount()], "must be a text that is not empty, or a number");
const words = text();
const name = optional(text({ pattern: /\S/ }));
const ids = optional(list(id, { message: "must be a list of ids" }));

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
    description: optional(words),
    status: withDefault(status, "pending"),
    priority: optional(amount()),
    dependencies: ids,
    blockedBy: ids,
    verify: optional(words),
    error: optional(words),
    metadata: optional(record(anything())),
  },
  { others: "keep", message: "must be a task" },
);

export const taskFileShape = object(
  {
    version: withDefault(oneOf(["1.0"], 'must be "1.0"; a newer one needs a newer Atomic'), "1.0"),
    tasks: list(taskShape, { message: "must be a list of tasks" }),
    metadata: optional(record(anything())),
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
    category: optional(words),
    description: text({ min: 1 }),
    steps: optional(list(words, { message: "must be a list of texts" })),
    passes: withDefault(flag(), false),
  },
  { others: "keep", message: "must be a feature" },
);

/** 003, the legacy list: `[{ "category", "description", "steps", "passes" }]` */
export const legacyListShape = list(legacyFeature);

export type TaskOnDisk = ShapeOf<typeof taskShape>;
export type LegacyFeature = ShapeOf<typeof legacyFeature>;
