// Where the workers of a run work: each in a separate work tree, or all in the user's folder. Decided once, before the
// first worker starts, and put on record with the reason.

import { mkdirSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { AtomicError } from "../../lib/errors.ts";
import { type FoundRepository, readRepository } from "../git/git-status.ts";
import { makeBase } from "../worktrees/base-commit.ts";
import { canIsolate } from "../worktrees/can-isolate.ts";
import { foldersToLink } from "../worktrees/furnish.ts";
import { filtersInUse } from "../worktrees/filtered-files.ts";
import { nestedNames } from "../worktrees/nested-trees.ts";
import { chooseSharedFolders } from "../worktrees/shared-folders.ts";
import type { WorkTree } from "../worktrees/work-tree.ts";
import type { KeptChanges } from "./keep-work.ts";
import type { RalphSettings, RalphState } from "./state.ts";
import type { Furnishing, Isolation, OwnTrees } from "./work-places.ts";

type Asked = Pick<RalphState, "mode" | "cwd"> & { readonly settings: RalphSettings; readonly treesDir: string };

/** Undefined when workers are to have trees, as far as what was asked for goes. */
export function reasonToShare({ mode, settings }: Pick<Asked, "mode" | "settings">): string | undefined {
  const { isolate = "auto", workers } = settings;
  if (isolate === false) return "--no-isolate was given";
  if (mode === "yolo") return "there are no tasks to work on side by side";
  return isolate === "auto" && workers === 1 ? "there is only one worker" : undefined;
}

/** `--isolate` was typed and can't be done: refused before there is a run. */
export async function requireIsolation(asked: Asked): Promise<void> {
  if (asked.settings.isolate !== true) return;
  if (asked.mode === "yolo")
    throw new AtomicError("USAGE", "--isolate is for tasks, and --yolo has none. Leave one out.");
  const ground = await canIsolate(await readRepository(asked.cwd), asked);
  if ("reason" in ground)
    throw new AtomicError("USAGE", `Workers can't have separate folders here: ${ground.reason}. Leave --isolate out.`);
}

export interface IsolationRequest extends Asked {
  /** Of the folder, as it was when the user's work was kept. */
  readonly repository: FoundRepository;
  readonly run: string;
  readonly sessionDir: string;
  readonly kept: KeptChanges;
  readonly furnishing: Furnishing;
  readonly at: number;
}

export interface ChosenIsolation {
  readonly isolation: Isolation;
  /** Shared folders that are links. */
  readonly linked: readonly string[];
  /** What a work tree does not get, and why. */
  readonly notes: readonly string[];
}

export async function chooseIsolation(request: IsolationRequest): Promise<ChosenIsolation> {
  const { repository, run, cwd, sessionDir, treesDir, kept, at, furnishing } = request;
  const shareFolder = (reason: string): ChosenIsolation => ({
    ...{ isolation: { mode: "shared", reason }, linked: [], notes: [] },
  });
  const asked = reasonToShare(request);
  if (asked !== undefined) return shareFolder(asked);
  const ground = await canIsolate(repository, request);
  if ("reason" in ground) return shareFolder(ground.reason);
  const { git, top, commonDir, status } = ground;
  const base = await makeBase({ git, commonDir, run, status, kept: kept.ref, at });
  const { names: shared, notes } = await chooseSharedFolders(git, top, furnishing.share);
  const { setup } = furnishing;
  const filters = await filtersInUse(git);
  const place = { run, top, dir: treesDir, processesDir: join(sessionDir, "processes"), base };
  const trees = { ...place, shared, setup, filters, nested: nestedNames(status) };
  const prefix = relative(realpathSync(top), realpathSync(cwd));
  return { isolation: { mode: "trees", trees, prefix }, linked: foldersToLink(top, treesDir, shared), notes };
}

/** The folder of the tree that stands for the run's own. Git keeps no empty folders, so it may have to be made. */
export function folderIn({ folder }: WorkTree, { prefix }: OwnTrees): string {
  const path = join(folder, prefix);
  mkdirSync(path, { recursive: true });
  return path;
}
