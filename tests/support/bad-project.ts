// A project with every kind of bad file, each with the one diagnostic it must get, and good files between them. Tests
// of the catalog and of the program use it.

import type { TreeFile } from "./temp-tree.ts";

const bomb = Array.from({ length: 9 }, (_, i) =>
  i === 0 ? "a0: &a0 [x, x, x]" : `a${i}: &a${i} [*a${i - 1}, *a${i - 1}, *a${i - 1}]`,
).join("\n");

export interface BadThing {
  readonly what: string;
  /** The path in the project that the diagnostic is about. */
  readonly at: string;
  readonly files: Readonly<Record<string, TreeFile>>;
  readonly code: string;
  readonly says: string;
}

const agents = ".claude/agents";

/** To be grown to 50 MB once it is there. */
export const hugeFile = `${agents}/huge.md`;

export const badThings: readonly BadThing[] = [
  {
    what: "a YAML alias bomb",
    at: `${agents}/bomb.md`,
    files: { [`${agents}/bomb.md`]: `---\n${bomb}\n---\nB` },
    code: "aliases",
    says: "aliases",
  },
  {
    what: "deep nesting",
    at: `${agents}/deep.md`,
    files: { [`${agents}/deep.md`]: `---\na: ${"[".repeat(9000)}\n---\nB` },
    code: "too-deep",
    says: "nested",
  },
  {
    what: "---js frontmatter",
    at: `${agents}/js.md`,
    files: { [`${agents}/js.md`]: `---js\n{ name: (process.exitCode = 99) }\n---\nB` },
    code: "frontmatter-script",
    says: "was not run",
  },
  {
    what: "a file of 50 MB",
    at: `${agents}/huge.md`,
    files: { [`${agents}/huge.md`]: "x" },
    code: "too-large",
    says: "50 MB",
  },
  {
    what: "invalid UTF-8",
    at: `${agents}/latin.md`,
    files: { [`${agents}/latin.md`]: new Uint8Array([0x63, 0x61, 0x66, 0xe9]) },
    code: "not-utf8",
    says: "UTF-8",
  },
  {
    what: "UTF-16",
    at: `${agents}/utf16.md`,
    files: { [`${agents}/utf16.md`]: new Uint8Array([0xff, 0xfe, 0x41, 0x00]) },
    code: "not-utf8",
    says: "UTF-16",
  },
  {
    what: "a NUL byte",
    at: `${agents}/nul.md`,
    files: { [`${agents}/nul.md`]: "a\0b" },
    code: "not-utf8",
    says: "NUL",
  },
  {
    what: "an empty file",
    at: `${agents}/empty.md`,
    files: { [`${agents}/empty.md`]: "" },
    code: "empty",
    says: "empty",
  },
  {
    what: "a field of the wrong type",
    at: `${agents}/tools.md`,
    files: { [`${agents}/tools.md`]: "---\ntools: 5\n---\nB" },
    code: "field-type",
    says: '"tools"',
  },
  {
    what: "a name of the wrong type",
    at: `${agents}/list.md`,
    files: { [`${agents}/list.md`]: "---\nname: [a]\n---\nB" },
    code: "field-type",
    says: '"name"',
  },
  {
    what: "a missing body",
    at: ".claude/commands/none.md",
    files: { ".claude/commands/none.md": "---\nname: none\n---\n" },
    code: "empty",
    says: "no instructions",
  },
  {
    what: "the name ../a",
    at: `${agents}/up.md`,
    files: { [`${agents}/up.md`]: '---\nname: "../a"\n---\nB' },
    code: "name-invalid",
    says: "path",
  },
  {
    what: "the name CON",
    at: `${agents}/CON.md`,
    files: { [`${agents}/CON.md`]: "B" },
    code: "name-invalid",
    says: "Windows",
  },
  {
    what: "a file name with a colon",
    at: `${agents}/a:b.md`,
    files: { [`${agents}/a:b.md`]: "B" },
    code: "name-invalid",
    says: "colon",
  },
  {
    what: "a name of 5,000 characters",
    at: `${agents}/long.md`,
    files: { [`${agents}/long.md`]: `---\nname: ${"n".repeat(5000)}\n---\nB` },
    code: "name-invalid",
    says: "5000 characters",
  },
  {
    what: "a name that controls the terminal",
    at: `${agents}/esc.md`,
    files: { [`${agents}/esc.md`]: '---\nname: "\\x1b[2J"\n---\nB' },
    code: "name-invalid",
    says: "␛[2J",
  },
  {
    what: "a link out of the project",
    at: `${agents}/passwd.md`,
    files: { [`${agents}/passwd.md`]: { link: "/etc/passwd" } },
    code: "outside-folder",
    says: "out of the project",
  },
  {
    what: "a dangling link",
    at: `${agents}/gone.md`,
    files: { [`${agents}/gone.md`]: { link: "nowhere.md" } },
    code: "dangling-link",
    says: "does not exist",
  },
  {
    what: "links in a circle",
    at: `${agents}/round.md`,
    files: { [`${agents}/round.md`]: { link: "round.md" } },
    code: "link-loop",
    says: "itself",
  },
  {
    what: "a folder that leaves the project",
    at: ".opencode/agents",
    files: { ".opencode/agents": { link: "/etc" } },
    code: "outside-folder",
    says: "out of the project",
  },
  {
    what: "a skill's file that leaves the project",
    at: ".claude/skills/out",
    files: { ".claude/skills/out/SKILL.md": { link: "/etc/passwd" } },
    code: "outside-folder",
    says: "out of the project",
  },
  {
    what: "a folder that is a file",
    at: ".github/agents",
    files: { ".github/agents": "x" },
    code: "not-a-file",
    says: "folder is expected",
  },
  {
    what: "a broken opencode.json",
    at: "opencode.jsonc",
    files: { "opencode.jsonc": "{ agent: " },
    code: "config-invalid",
    says: "JSON",
  },
  {
    what: "__proto__ in opencode.json",
    at: "opencode.json",
    files: { "opencode.json": `{ "__proto__": { "isAdmin": true }, "agent": { "inline": { "prompt": "P" } } }` },
    code: "forbidden-key",
    says: '"__proto__"',
  },
  {
    what: "a command that is not an object",
    at: ".opencode/opencode.json",
    files: { ".opencode/opencode.json": `{ "command": { "bad": 5, "inline-command": { "template": "T" } } }` },
    code: "field-type",
    says: '"bad"',
  },
  {
    what: "a file reference out of the project",
    at: ".opencode/opencode.jsonc",
    files: { ".opencode/opencode.jsonc": `{ "agent": { "thief": { "prompt": "{file:/etc/passwd}" } } }` },
    code: "outside-folder",
    says: '"thief"',
  },
  {
    what: "two files with one name",
    at: `${agents}/twin-b.md`,
    files: { [`${agents}/twin-a.md`]: "---\nname: twin\n---\nA", [`${agents}/twin-b.md`]: "---\nname: twin\n---\nB" },
    code: "duplicate-name",
    says: "twin-a.md",
  },
  {
    what: "an alias that is taken",
    at: ".atomic/skills/greedy/SKILL.md",
    files: { ".atomic/skills/greedy/SKILL.md": "---\naliases: [commit]\n---\nG" },
    code: "alias-conflict",
    says: '"commit"',
  },
  {
    what: "a workflow called help",
    at: ".atomic/workflows/help.ts",
    files: { ".atomic/workflows/help.ts": "export default 1;" },
    code: "core-command",
    says: "atomic run help",
  },
  {
    what: "a workflow that does not parse",
    at: ".atomic/workflows/broken.ts",
    files: { ".atomic/workflows/broken.ts": 'export const name = "open' },
    code: "syntax",
    says: "string",
  },
  {
    what: "a workflow that would crash a parser",
    at: ".atomic/workflows/crash.ts",
    files: { ".atomic/workflows/crash.ts": "()=>{".repeat(20_000) },
    code: "syntax",
    says: "not closed",
  },
  {
    what: "a tool without a function",
    at: ".atomic/tools/half.ts",
    files: { ".atomic/tools/half.ts": 'export const name = "half";' },
    code: "field-type",
    says: "default export",
  },
];

export const goodThings: Readonly<Record<string, TreeFile>> = {
  [`${agents}/bom.md`]: "\u{feff}---\r\nname: bom\r\ndescription: BOM and CRLF\r\n---\r\nLine one\r\nLine two\r\n",
  [`${agents}/linked.md`]: { link: "../../shared/linked.md" },
  "shared/linked.md": "Inside the project.",
  ".claude/skills/good-skill/SKILL.md": "Good.",
  ".claude/commands/good-command.md": "Good.",
  ".atomic/workflows/good.ts": "export default 1; throw new Error('ran');",
  ".atomic/tools/good.ts": "export default () => 1",
};
