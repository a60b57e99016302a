// What of a project waits for its user's consent, with all that a user needs to decide; and giving or taking it back.
// Asking is a front end's work. Nothing here runs a file or decides on its own.

import { join, relative, resolve, sep } from "node:path";
import { realpathSync, statSync } from "node:fs";
import type { ModuleEntryFile } from "../catalog/catalog.ts";
import { decideTrust, type FileStatus, type TrustRecord } from "../catalog/trust/decide-trust.ts";
import { subjectOfCommands, type TrustKind, type TrustSubject } from "../catalog/trust/trust-subject.ts";
import { AtomicError, messageOf } from "../lib/errors.ts";
import { shortDiff } from "../lib/line-diff.ts";
import { safeText } from "../lib/safe-text.ts";
import { readTaskFile } from "../tasks/task-file.ts";
import { taskListPlaces } from "../tasks/task-places.ts";
import { verifyCommandsOf } from "../tasks/workflow-task.ts";
import type { Folders } from "./folders.ts";
import { projectSubject } from "./project-trust.ts";
import { realOrSame } from "../lib/real-path.ts";
import type { Workspace } from "./workspace.ts";

export interface TrustFile {
  /** As a user would name it: relative to the project, where it is inside. */
  readonly name: string;
  readonly path: string;
  readonly change: FileStatus;
  /** What it says now, safe to print; absent for a file that is gone. */
  readonly text?: string;
  /** What changed since it was trusted; absent when that is not known any more, or nothing did. */
  readonly difference?: readonly string[];
}

/** One subject to trust or not. */
export interface TrustQuestion {
  readonly kind: TrustKind;
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly reason: "new" | "changed";
  readonly files: readonly TrustFile[];
  /** Code that it loads and that no hash covers. */
  readonly packages: readonly string[];
  readonly runtimeModules: readonly string[];
  readonly computed: readonly string[];
  /** Records the consent to exactly this content. */
  readonly accept: () => Promise<void>;
}

export interface TrustOverview {
  readonly questions: readonly TrustQuestion[];
  /** Names of what needs no question. */
  readonly trusted: readonly string[];
  /** What can't be checked, and why. */
  readonly problems: readonly { readonly name: string; readonly message: string }[];
  /** Why nothing counts as trusted although something was. */
  readonly storeProblem?: string;
}

type TrustSource = Pick<Workspace, "catalog" | "loader" | "trust" | "parts" | "settings">;

/** `path`: a workflow or tool file, a task list, or the project's own folder; absent: everything of the project. */
export function trustOverview(workspace: TrustSource, path?: string): TrustOverview {
  const { folders } = workspace.parts;
  const wanted = path === undefined ? undefined : realOf(path);
  const questions: TrustQuestion[] = [];
  const trusted: string[] = [];
  const problems: { name: string; message: string }[] = [];
  const judge = (name: string, read: () => TrustSubject): void => {
    try {
      const subject = read();
      const decision = decideTrust(subject, workspace.trust.find(subject.kind, subject.path));
      if (decision.isTrusted) trusted.push(name);
      else questions.push(questionOf(workspace, name, subject, decision.question));
    } catch (thrown) {
      if (!AtomicError.is(thrown)) throw thrown;
      problems.push({ name, message: messageOf(thrown) });
    }
  };

  const isWholeProject = wanted === undefined || wanted === realOrSame(folders.projectDir);
  const modules = modulesOf(workspace).filter(({ file }) => isWholeProject || wanted === file.realPath);
  for (const { kind, name, file } of modules) {
    judge(`${kind} ${name}`, () => workspace.loader.check(kind, file).subject);
  }
  if (isWholeProject) judge("settings of the project", () => projectSubject(folders, workspace.settings));
  const lists = isWholeProject ? taskListPlaces.map((name) => join(folders.projectDir, name)) : [wanted];
  for (const file of modules.length > 0 && !isWholeProject ? [] : lists) {
    const name = `commands of ${nameIn(folders.projectDir, realOrSame(file))}`;
    try {
      const commands = verifyCommandsOf(readTaskFile(file)?.tasks ?? []);
      if (commands.length > 0) judge(name, () => subjectOfCommands(file, commands, folders.atomicHome));
      else if (!isWholeProject) throw nothingToTrust(file);
    } catch (thrown) {
      if (!AtomicError.is(thrown, "TASKS_INVALID")) throw thrown;
      if (!isWholeProject) throw nothingToTrust(file);
      problems.push({ name, message: thrown.message });
    }
  }
  const { problem: storeProblem } = workspace.trust;
  return { questions, trusted, problems, ...(storeProblem === undefined ? {} : { storeProblem }) };
}

function nothingToTrust(path: string): AtomicError {
  return new AtomicError(
    "NOT_TRUSTED",
    `${path} is neither a workflow or tool that this project lists nor a task list with commands, so there is nothing to trust. \`atomic workflows\` shows what was found and what was refused.`,
  );
}

export interface TrustedThing {
  readonly kind: TrustKind;
  readonly path: string;
  readonly trustedAt: string;
  readonly files: number;
}

/** What was ever trusted, in every project. */
export function trustedThings({ trust }: Pick<Workspace, "trust">): readonly TrustedThing[] {
  return trust.all().map(({ kind, path, trustedAt, files }) => {
    return { kind, path, trustedAt, files: Object.keys(files).length };
  });
}

/** Forgets what was trusted at this path, and below it. Returns what that was. */
export async function forgetTrust(
  { trust, parts }: Pick<Workspace, "trust" | "parts">,
  path: string = parts.folders.projectDir,
): Promise<readonly TrustedThing[]> {
  const wanted = realOrSame(path);
  const isMeant = (record: TrustRecord): boolean => record.path === wanted || record.path.startsWith(wanted + sep);
  const forgotten = trustedThings({ trust }).filter((each) =>
    trust.all().some((r) => r.path === each.path && isMeant(r)),
  );
  for (const each of forgotten) await trust.forget(each.kind, each.path);
  return forgotten;
}

interface Module {
  readonly kind: "workflow" | "tool";
  readonly name: string;
  readonly file: ModuleEntryFile;
}

/** The user's own files too: one that reaches into a project asks like a project's. */
function modulesOf({ catalog }: Pick<Workspace, "catalog">): readonly Module[] {
  const workflows = catalog.workflows.flatMap(({ info, file }): Module[] => {
    return file === undefined ? [] : [{ kind: "workflow", name: info.name, file }];
  });
  const tools = catalog.tools.map(({ info, file }): Module => ({ kind: "tool", name: info.name, file }));
  return [...workflows, ...tools];
}

function questionOf(
  workspace: TrustSource,
  name: string,
  subject: TrustSubject,
  asked: Extract<ReturnType<typeof decideTrust>, { isTrusted: false }>["question"],
): TrustQuestion {
  const { projectDir } = workspace.parts.folders;
  const nameOf = (path: string): string => nameIn(projectDir, path);
  const texts = new Map(subject.files.map((file) => [file.path, new TextDecoder().decode(file.bytes)]));
  const files = asked.files.map(({ path, change, trustedSha256 }): TrustFile => {
    const text = texts.get(path);
    const before = trustedSha256 === undefined ? undefined : workspace.trust.trustedText(trustedSha256);
    const difference = change === "changed" && text !== undefined && before !== undefined;
    return {
      name: nameOf(path),
      path,
      change,
      ...(text === undefined ? {} : { text: safeText(text) }),
      ...(difference ? { difference: shortDiff(safeText(before), safeText(text)) } : {}),
    };
  });
  return {
    kind: subject.kind,
    name,
    path: subject.path,
    hash: subject.hash,
    reason: asked.reason,
    files,
    packages: asked.packages,
    runtimeModules: asked.runtimeModules,
    computed: asked.computed.map(({ path, line, what }) => `${nameOf(path)}:${line}: ${what}`),
    accept: () => workspace.trust.record(subject),
  };
}

/** As a user would name it: relative to the project, where it is inside. */
function nameIn(projectDir: string, path: string): string {
  const way = relative(realOrSame(projectDir), path);
  return way.startsWith("..") ? path : way.split(sep).join("/");
}

function realOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new AtomicError("USAGE", `There is no ${path}. Name a workflow or tool file, or the folder of the project.`);
  }
  return realpathSync(path);
}

/** What `atomic trust PATH` means: a file of `.atomic/workflows` or `.atomic/tools`, or the folder of a project. */
export function trustTarget(
  folders: Folders,
  written: string | undefined,
): { projectDir: string; path: string | undefined } {
  if (written === undefined) return { projectDir: folders.projectDir, path: undefined };
  const path = resolve(folders.currentDir, written);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return { projectDir: path, path };
  const folder = /^(.*)[\\/]\.atomic[\\/](?:workflows|tools)[\\/][^\\/]+$/.exec(path)?.[1];
  return { projectDir: folder ?? folders.projectDir, path };
}
