import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { portableYamlParser } from "./yaml-parser.ts";

const builtin = join(import.meta.dir, "../builtin");

function frontmatters(folder: string): [name: string, source: string][] {
  return readdirSync(join(builtin, folder)).map((name) => {
    const text = readFileSync(join(builtin, folder, name), "utf8");
    return [`${folder}/${name}`, text.slice(4, text.indexOf("\n---", 3))];
  });
}

const written: [name: string, source: string][] = [
  ["lists and maps", "tools:\n  - bash\n  - read\npermission:\n  edit: deny\n  bash:\n    'git *': allow\n"],
  ["flow style", "tools: [bash, 'read file']\nmodel: { id: opus, tier: 1 }\n"],
  ["texts of several lines", "description: |\n  one\n  two\nhint: >\n  three\n  four\n"],
  ["scalars", "a: true\nb: null\nc: 1.5\nd: '007'\ne: 2024-01-01\nf: ~\n"],
  ["anchors and merged keys", "base: &base\n  x: 1\ncopy:\n  <<: *base\n  y: 2\n"],
  ["equal keys", "a: 1\na: 2\n"],
  ["nothing", ""],
];

for (const [name, source] of [...frontmatters("agents"), ...frontmatters("skills"), ...written]) {
  test(`the portable parser reads ${name} as Bun's does`, async () => {
    const parse = await portableYamlParser();
    expect(parse(source)).toEqual(Bun.YAML.parse(source));
  });
}

test("the portable parser refuses what is not YAML", async () => {
  const parse = await portableYamlParser();
  for (const source of ["description: Use when: now", "a: [1", "a: 'x"]) expect(() => parse(source)).toThrow();
});
