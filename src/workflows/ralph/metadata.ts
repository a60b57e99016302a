// Ralph's metadata, separate from its code: listings and help load nothing else.

import type { WorkflowDefinition } from "../definition.ts";

export const ralphMetadata = {
  name: "ralph",
  description: "Plans the work, runs workers in parallel, verifies, reviews and fixes until it is done",
  aliases: ["loop"],
  version: "1.0.0",
  stateVersion: 1,
  argumentHint: '"PROMPT or spec path" | --feature-list FILE | --yolo "PROMPT" | --resume ID',
  source: "builtin",
  prompt: "optional",
  verifiesItself: true,
  options: {
    workers: {
      type: "number",
      default: 3,
      description: "tasks that are worked on at the same time; at most 64 have a turn at once",
    },
    "feature-list": { type: "string", description: "take the tasks from this file (tasks.json or a feature list)" },
    yolo: {
      type: "boolean",
      default: false,
      description: "no task list: the same prompt again and again until it is complete",
    },
    "max-tries": { type: "number", default: 3, description: "tries of a task before it counts as failed" },
    "max-reviews": { type: "number", default: 2, description: "reviews, each followed by fixes; 0 = none" },
    "max-stuck": {
      type: "number",
      default: 2,
      description: "rounds without any change before work counts as stuck; 0 = never",
    },
    remaining: { type: "boolean", default: false, description: "leave out tasks that an earlier run completed" },
    redo: { type: "boolean", default: false, description: "do tasks again that an earlier run completed" },
    "write-back": { type: "boolean", default: false, description: "update the task list as tasks end" },
    isolate: {
      type: "boolean",
      default: "auto",
      description: "give each worker a separate folder; default: with several workers, where git can",
    },
    land: {
      type: "string",
      default: "tree",
      description: "where the work goes that was done in such folders: tree (your folder), branch (atomic/ID) or none",
    },
    pr: { type: "boolean", default: false, description: "open a pull request at the end" },
    "pr-base": { type: "string", description: "the branch to merge into; default: the repository's own" },
    "pr-title": { type: "string", description: "the title of the pull request" },
  },
} as const satisfies WorkflowDefinition;
