// The shapes of a task list on disk, as they come in: tasks.json of version 1.0, and the two older feature lists.
// Unknown keys pass; task-file.ts puts them where they survive.

import { z } from "zod";

const id = z.union([z.string().trim().min(1).max(200), z.number()], "must be a text or a number");
const text = z.string("must be text");

/** Both vocabularies are read; tasks.json is written in the first. */
const status = z.enum(
  ["pending", "in_progress", "passing", "failing", "skipped", "completed", "failed", "blocked"],
  "must be pending, in_progress, passing, failing or skipped",
);

export const taskSchema = z.looseObject(
  {
    id,
    name: text.min(1, "must not be empty").optional(),
    title: text.min(1, "must not be empty").optional(),
    description: text.optional(),
    status: status.default("pending"),
    priority: z.number("must be a number").optional(),
    dependencies: z.array(id, "must be a list of ids").optional(),
    blockedBy: z.array(id, "must be a list of ids").optional(),
    verify: text.optional(),
    error: text.optional(),
    metadata: z.record(z.string(), z.unknown(), "must be an object").optional(),
  },
  "must be a task",
);

export const taskFileSchema = z.looseObject({
  version: z.literal("1.0", 'must be "1.0"; a newer one needs a newer Atomic').default("1.0"),
  tasks: z.array(taskSchema, "must be a list of tasks"),
  metadata: z.record(z.string(), z.unknown(), "must be an object").optional(),
});

/** 001: `{ "features": [{ "id", "name", "description", "acceptanceCriteria", "status" }] }` */
export const featureFileSchema = z.looseObject({ features: z.array(taskSchema, "must be a list of features") });

/** 003, the legacy list: `[{ "category", "description", "steps", "passes" }]` */
export const legacyListSchema = z.array(
  z.looseObject(
    {
      category: text.optional(),
      description: text.min(1, "must not be empty"),
      steps: z.array(text, "must be a list of texts").optional(),
      passes: z.boolean("must be true or false").default(false),
    },
    "must be a feature",
  ),
);

export type TaskOnDisk = z.infer<typeof taskSchema>;
export type LegacyFeature = z.infer<typeof legacyListSchema>[number];
