// docs/sdk: the reference of every public function, class, value and type. Signatures and comments come from the types,
// samples from examples/sdk. `npm run docs` writes it; `--check` compares instead.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emitDeclarations } from "./emit-declarations.ts";
import { mustRun } from "./run-command.ts";
import { declarationOf } from "./sdk-document/declaration-of.ts";
import { type PublicExport, publicExports, subpathFiles } from "./sdk-document/public-exports.ts";
import { type Topic, topics } from "./sdk-document/topics.ts";

const root = join(import.meta.dir, "..");
const target = join(root, "docs/sdk");
const generated = "<!-- Made from the types and from examples/sdk by `npm run docs`. Change those, not this file. -->";

/** The page of an export. Throws, with what to do, if there is none. */
export function topicOf({ name, isType, file }: PublicExport, all: readonly PublicExport[]): Topic {
  const topic = isType
    ? topics.find(
        ({ values, files }) =>
          files.includes(file) ||
          all.some((each) => !each.isType && each.file === file && Object.hasOwn(values, each.name)),
      )
    : topics.find(({ values }) => Object.hasOwn(values, name));
  if (topic !== undefined) return topic;
  const what = isType ? `Name ${file} in the \`files\` of a topic` : `Add "${name}" with a sentence to a topic`;
  throw new Error(
    `"${name}" (src/${file}) is public and has no page in docs/sdk. ${what} in scripts/sdk-document/topics.ts.`,
  );
}

/**
 * A type whose name differs from that of a value only in case needs a different heading, so that their links differ.
 */
export function headingOf({ name, isType }: PublicExport, all: readonly PublicExport[]): string {
  const hasTwin = all.some((each) => !each.isType && each.name.toLowerCase() === name.toLowerCase());
  return isType && hasTwin ? `${name} (type)` : name;
}

/** As in a link: `state.md#annotation-type`. */
export function anchorOf(each: PublicExport, all: readonly PublicExport[]): string {
  const heading = headingOf(each, all).toLowerCase();
  return `${topicOf(each, all).name}.md#${heading.replaceAll(/[()]/g, "").replaceAll(" ", "-")}`;
}

async function writePages(folder: string): Promise<void> {
  const declarations = mkdtempSync(join(tmpdir(), "atomic-declarations-"));
  try {
    await emitDeclarations(root, declarations);
    const all = publicExports();
    mkdirSync(folder, { recursive: true });
    for (const topic of topics) {
      const own = all.filter((each) => topicOf(each, all) === topic);
      writeFileSync(join(folder, `${topic.name}.md`), page(topic, own, all, declarations));
    }
    writeFileSync(join(folder, "README.md"), index(all));
  } finally {
    rmSync(declarations, { recursive: true, force: true });
  }
  const files = readdirSync(folder).map((name) => join(folder, name));
  const settings = ["--config", join(root, ".oxfmtrc.json")];
  await mustRun([join(root, "node_modules/.bin/oxfmt"), ...settings, ...files], { cwd: folder });
}

function page(
  topic: Topic,
  exports: readonly PublicExport[],
  all: readonly PublicExport[],
  declarations: string,
): string {
  const sample = readFileSync(join(root, "examples/sdk", `${topic.name}.ts`), "utf8");
  const output = readFileSync(join(root, "examples/sdk", `${topic.name}.out`), "utf8");
  const order = Object.keys(topic.values);
  const values = exports
    .filter(({ isType }) => !isType)
    .toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const types = exports.filter(({ isType }) => isType).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const entry = (each: PublicExport): readonly string[] => [
    `### ${headingOf(each, all)}`,
    [...(each.isType ? [] : [topic.values[each.name] ?? ""]), `From ${subpathsText(each)}.`].join(" "),
    code("typescript", declarationOf(declarations, each.file, each.name)),
  ];
  return `${[
    `# ${topic.title}`,
    generated,
    `${topic.text} Part of the [reference](README.md).`,
    "## Sample",
    `[examples/sdk/${topic.name}.ts](../../examples/sdk/${topic.name}.ts) prints what stands below it.`,
    code("ts", sample),
    code("text", output),
    "## Functions and values",
    ...values.flatMap(entry),
    ...(types.length === 0 ? [] : ["## Types", ...types.flatMap(entry)]),
  ].join("\n\n")}\n`;
}

function index(all: readonly PublicExport[]): string {
  const sections = Object.keys(subpathFiles).flatMap((subpath) => {
    const own = all.filter(({ subpaths }) => subpaths[0] === subpath);
    const also = all.filter(({ subpaths }) => subpaths.includes(subpath)).length - own.length;
    const link = (each: PublicExport): string => `[${each.name}](${anchorOf(each, all)})`;
    const listed = topics.flatMap((topic): readonly string[] => {
      const here = own.filter((each) => topicOf(each, all) === topic);
      if (here.length === 0) return [];
      const values = Object.entries(topic.values).flatMap(([name, sentence]) => {
        const found = here.find((each) => each.name === name);
        return found === undefined ? [] : [`- ${link(found)}: ${sentence}`];
      });
      const types = here.filter(({ isType }) => isType).map(link);
      const lines = [...values, ...(types.length === 0 ? [] : [`- Types: ${types.join(", ")}`])];
      return [`### [${topic.title}](${topic.name}.md)`, lines.join("\n")];
    });
    return [
      `## ${subpath}`,
      `${subpathTexts[subpath] ?? ""}${also === 0 ? "" : ` It exports ${also} of the names above${own.length === 0 ? "" : " as well"}.`}`,
      ...listed,
    ];
  });
  return `${["# Reference of the library", generated, introduction, ...sections].join("\n\n")}\n`;
}

const introduction =
  "Every name that the package exports, by subpath. Each topic has a sample that you can run in a clone: `scripts/bun examples/sdk/graphs.ts`. To learn the library, start with [authoring.md](../authoring.md); [examples](../../examples/README.md) has complete programs.";

const subpathTexts: Readonly<Record<string, string>> = {
  "atomic/workflows":
    "Everything the author of a workflow needs. In workflow files, it can also be imported as `@atomic/workflows`.",
  "atomic/workflows/graph":
    "The engine with all node factories, without dependencies: Bun, Node 20, Deno and browsers. In workflow files, it can also be imported as `@atomic/graph`.",
  "atomic/workflows/sqlite":
    "Needs Bun, or Node 22.5 or later. Importing it always works; using it elsewhere throws `SQLITE_UNAVAILABLE`.",
  "atomic/workflows/postgres": "Needs Bun, or Node with the package `postgres`.",
  "atomic/agents": "The agent port and its backends.",
  "atomic/testing": "For tests of workflows, stores and backends.",
  "atomic/types": "Types only; importing it loads no code.",
};

function subpathsText({ subpaths }: PublicExport): string {
  return subpaths.map((subpath) => `\`${subpath}\``).join(", ");
}

function code(language: string, text: string): string {
  return ["```" + language, text.trimEnd(), "```"].join("\n");
}

if (import.meta.main) {
  if (process.argv.includes("--check")) await check();
  else {
    rmSync(target, { recursive: true, force: true });
    await writePages(target);
  }
}

async function check(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "atomic-sdk-"));
  try {
    await writePages(folder);
    const names = new Set([...readdirSync(folder), ...readdirSync(target)]);
    // A reworded comment does not make a page wrong; it is taken over by the next `npm run docs`.
    const read = (place: string, name: string): string | undefined =>
      readdirSync(place).includes(name)
        ? readFileSync(join(place, name), "utf8").replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, "")
        : undefined;
    const changed = [...names].filter((name) => read(folder, name) !== read(target, name));
    if (changed.length > 0)
      throw new Error(`docs/sdk is not what the types say: ${changed.join(", ")}. Run \`npm run docs\`.`);
    console.log(`docs/sdk: ${publicExports().length} exports on ${names.size} pages`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
