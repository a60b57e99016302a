// Makes the files of a project: its first workflow, a new one, and what an editor needs to know our types. Never replaces
// a file that it did not write. What it writes itself is trusted at once: the user asked for exactly those bytes.

import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFileAtomically, systemCode, writeFileAtomically } from "../lib/atomic-file.ts";
import { AtomicError } from "../lib/errors.ts";
import { readPlainFile } from "../lib/plain-file.ts";
import { parseEntityName } from "../catalog/entity-name.ts";
import { Refusal } from "../catalog/diagnostics.ts";
import { isInside, realOrSame } from "../lib/real-path.ts";
import type { AppParts } from "./parts.ts";
import { helloWorkflow, workflowTemplate, type TemplateForm } from "./workflow-templates.ts";
import { openWorkspace } from "./workspace.ts";

export interface ScaffoldResult {
  readonly created: readonly string[];
  /** Ours, written again. */
  readonly updated: readonly string[];
  /** There already; left as they are. */
  readonly kept: readonly string[];
}

const tsconfigMark = "// Written by `atomic init` for this machine.";

const gitignore = `# Paths of one machine; \`atomic init\` writes it again.
tsconfig.json
`;

/** `.atomic/` with a first workflow and types for editors. Safe to repeat. */
export async function initProject(parts: AppParts): Promise<ScaffoldResult> {
  const folder = projectFolder(parts);
  const result = { created: [] as string[], updated: [] as string[], kept: [] as string[] };
  const make = (path: string, text: string): void => {
    (createFile(path, text) ? result.created : result.kept).push(path);
  };
  make(join(folder, ".gitignore"), gitignore);
  const hello = join(folder, "workflows", "hello.ts");
  make(hello, helloWorkflow);
  if (result.created.includes(hello)) await trustWritten(parts, hello, helloWorkflow);
  const tsconfig = join(folder, "tsconfig.json");
  const text = await tsconfigText(parts);
  const before = readIfThere(tsconfig);
  if (before === undefined) make(tsconfig, text);
  else if (before === text || !before.startsWith(tsconfigMark)) result.kept.push(tsconfig);
  else {
    writeFileAtomically(tsconfig, text, "shared");
    result.updated.push(tsconfig);
  }
  return result;
}

export interface NewWorkflowOptions {
  readonly form: TemplateForm;
  /** In the user's own folder, for every project. */
  readonly isGlobal: boolean;
}

export interface NewWorkflow {
  /** As it can be typed. */
  readonly name: string;
  readonly file: string;
  /** What its name costs: a command that it can't have, or something that it hides. */
  readonly notes: readonly string[];
}

/** Throws ENTITY_INVALID or FILE_EXISTS. */
export async function newWorkflow(parts: AppParts, written: string, options: NewWorkflowOptions): Promise<NewWorkflow> {
  const name = nameOf(written);
  const { folders } = parts;
  const folder = options.isGlobal ? folders.atomicHome : projectFolder(parts);
  const path = join(folder, "workflows", `${name}.ts`);
  const source = options.isGlobal ? "global" : "local";
  const other = openWorkspace(parts).catalog.workflows.find(
    (entry) => entry.info.name === name && entry.source === source,
  );
  if (other?.file !== undefined) throw exists(`There is already a workflow "${name}": ${other.file.path}.`);
  const text = workflowTemplate(name, options.form);
  if (!createFile(path, text)) throw exists(`${path} already exists and was not changed.`);
  await trustWritten(parts, path, text);
  const { diagnostics } = openWorkspace(parts).catalog;
  return { name, file: path, notes: diagnostics.filter((each) => each.file === path).map((each) => each.message) };
}

/** `.atomic` of the project. Through a link of a stranger's making, files would be written somewhere else. */
function projectFolder({ folders }: AppParts): string {
  const folder = join(folders.projectDir, ".atomic");
  const real = realOrSame(folder);
  if (isInside(real, realOrSame(folders.projectDir)) || real === realOrSame(folders.atomicHome)) return folder;
  throw new AtomicError("USAGE", `${folder} leads out of the project, to ${real}. Nothing was written.`);
}

/** False when there is one already. */
function createFile(path: string, text: string): boolean {
  mkdirSync(dirname(path), { recursive: true });
  return createFileAtomically(path, text, "shared");
}

/** Only if what lies there is what was written, and nothing else with it. */
async function trustWritten(parts: AppParts, path: string, text: string): Promise<void> {
  const { catalog, loader, trust } = openWorkspace(parts);
  const file = catalog.workflows.find((entry) => entry.file?.path === path)?.file;
  if (file === undefined) return;
  const { subject, decision } = loader.check("workflow", file);
  const [only, ...more] = subject.files;
  if (decision.isTrusted || only === undefined || more.length > 0) return;
  if (new TextDecoder().decode(only.bytes) === text) await trust.record(subject);
}

function nameOf(written: string): string {
  try {
    return parseEntityName(written);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    throw new AtomicError("ENTITY_INVALID", thrown.message);
  }
}

function exists(problem: string): AtomicError {
  return new AtomicError("FILE_EXISTS", `${problem} Choose another name.`);
}

function readIfThere(path: string): string | undefined {
  try {
    return readPlainFile(path).toString("utf8");
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

async function tsconfigText({ editorTypes, folders }: AppParts): Promise<string> {
  const paths = await editorTypes.paths(folders.atomicHome);
  const { roots, types } = typesFor(folders.projectDir, editorTypes);
  const config = {
    compilerOptions: {
      target: "ES2023",
      lib: ["ES2023"],
      module: "preserve",
      moduleResolution: "bundler",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true,
      ...editorTypes.compilerOptions,
      typeRoots: roots,
      types,
      paths: Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, [path]])),
    },
    include: ["workflows", "tools", ...editorTypes.include],
  };
  return `${tsconfigMark} Run it again after you move or update Atomic.\n${JSON.stringify(config, null, 2)}\n`;
}

/** Types of the runtime: the project's own if it has any, else those that came with this program. */
function typesFor(
  projectDir: string,
  editorTypes: AppParts["editorTypes"],
): { readonly roots: readonly string[]; readonly types: readonly string[] } {
  const own = join(projectDir, "node_modules", "@types");
  const found = ["bun", "node"].find((name) => existsSync(join(own, name)));
  if (found !== undefined) return { roots: [own], types: [found] };
  return { roots: editorTypes.typeRoots, types: editorTypes.types };
}
