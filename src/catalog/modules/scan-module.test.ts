import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plain } from "../plain-data.ts";
import { scanModule } from "./scan-module.ts";

const literals: [what: string, source: string, value: Plain | undefined][] = [
  ["a string", `export const x = "a\\n\\u{1F600}\\x41";`, "a\n😀A"],
  ["single quotes", `export const x = 'it\\'s'`, "it's"],
  ["a template without substitutions", "export const x = `one\ntwo`;", "one\ntwo"],
  ["a template with a substitution", "export const x = `one${y}`;", undefined],
  ["a number", "export const x = 1_000.5;", 1000.5],
  ["a negative number", "export const x = -0x10", -16],
  ["a boolean", "export const x = true;", true],
  ["null, which counts as a literal", "export const x = null;", null],
  ["a list with a trailing comma", `export const x = ["a", 'b', ];`, ["a", "b"]],
  ["an object", `export const x = { a: 1, "b-c": [true], 3: { d: null } };`, { a: 1, "b-c": [true], 3: { d: null } }],
  ["as const", `export const x = ["a"] as const;`, ["a"]],
  ["satisfies with a generic type", `export const x = { a: 1 } satisfies Record<string, number>;`, { a: 1 }],
  ["a type annotation", `export const x: Record<string, (a: number) => void> = { a: 1 };`, { a: 1 }],
  ["an annotation glued to the sign", `export const x: Map<A, B>= "v";`, "v"],
  ["an annotation over lines", `export const x:\n  | "a"\n  | "b" = "a";`, "a"],
  ["joined strings", `export const x = "a " +\n  "b";`, "a b"],
  ["brackets", `export const x = ("a");`, "a"],
  ["no semicolon", `export const x = "a"\nexport const y = 1`, "a"],
  ["another constant", `const v = "1.0.0";\nexport const x = v;`, "1.0.0"],
  ["a constant exported under another name", `const v = "1.0.0";\nexport { v as x };`, "1.0.0"],
  ["a shorthand property", `const a = 1; export const x = { a };`, { a: 1 }],
  ["the second of two", `export const a = "1", x = "2";`, "2"],
  ["a call on a string", `export const x = "a".repeat(3);`, undefined],
  ["a call", `export const x = load("a");`, undefined],
  ["a sum of numbers", `export const x = 1 + 1;`, undefined],
  ["a spread", `export const x = { ...y };`, undefined],
  ["a function in an object", `export const x = { a() {} };`, undefined],
  ["a variable that may change", `export let x = "a";`, undefined],
  ["constants that name themselves", `const a = b; const b = a; export const x = a;`, undefined],
  ["a key that reaches a prototype", `export const x = { __proto__: { a: 1 } };`, undefined],
  ["a value in a comment", `/* export const x = "no"; */ export const x = "yes"; // export const x = "no"`, "yes"],
  ["a value after a regular expression", `const r = /["'\`]/g; export const x = "yes";`, "yes"],
  ["a value after a division", `const r = (a) / 2 / "b".length; export const x = "yes";`, "yes"],
  ["a value after a non-null division", `const r = a! / b; const s = "/"; export const x = "yes";`, "yes"],
];

describe("scanModule reads", () => {
  for (const [what, source, value] of literals) {
    test(what, () => {
      const scan = scanModule(source);
      expect(scan.problem).toBeUndefined();
      expect(scan.exports.has("x")).toBe(true);
      expect(scan.exports.get("x")?.literal).toEqual(value as never);
    });
  }
});

const imports: [what: string, source: string, found: readonly string[], computed?: readonly string[]][] = [
  [
    "statements of every form",
    `import a from "./a"; import * as b from './b'; import { c } from "./c"; import "./d";`,
    ["./a", "./b", "./c", "./d"],
  ],
  ["re-exports", `export * from "./a"; export { b } from "./b"; export * as c from "./c";`, ["./a", "./b", "./c"]],
  ["type-only imports, which run nothing", `import type { A } from "./a"; export type { B } from "./b";`, []],
  ["an import called type", `import type from "./a"; import type, { b } from "./b";`, ["./a", "./b"]],
  [
    "imports over lines without semicolons",
    `import {\n  a,\n  b as c,\n} from\n  "./a"\nimport d from "./d"`,
    ["./a", "./d"],
  ],
  ["calls with a literal", "await import('./a'); require(`./b`); import b = require('./c');", ["./a", "./b", "./c"]],
  ["calls with anything else", "import(x); import('./a' + x); require(y);", [], ["import()", "import()", "require()"]],
  ["require handed on", "const load = require;", [], ["require"]],
  [
    "other ways to load code",
    `createRequire(import.meta.url); new Worker("./w.ts");`,
    [],
    ["createRequire()", "new Worker()"],
  ],
  ["require of another object", `import.meta.require("./a"); module.require("./b");`, [], ["require()", "require()"]],
  [
    "them on another object",
    `new globalThis.Worker(u); m.createRequire(u)("./a"); globalThis.eval?.(c); o.Worker;`,
    [],
    ["new Worker()", "createRequire()", "eval()"],
  ],
  [
    "code that is made from text",
    `const e = eval; new Function(t); Function(t); let f: Function;`,
    [],
    ["eval()", "Function()", "Function()"],
  ],
  [
    "import.meta in disguise",
    `(import.meta as any)["re" + "quire"]("./a")`,
    [],
    ["import.meta", "a member with a computed name"],
  ],
  [
    "import.meta handed on",
    `const m = import.meta; const r = import.meta.require; import.meta["x"];`,
    [],
    ["import.meta", "import.meta.require", "import.meta"],
  ],
  ["import.meta as it is used", "import.meta.dir; import.meta.env.X; import.meta.main; import.meta.resolve('x');", []],
  [
    "commands of the runtime",
    "await Bun.$`id`; Bun.spawn(['id']); Bun.plugin(p); Bun['$']; const { $ } = Bun; f(Bun);",
    [],
    ["Bun.$", "Bun.spawn", "Bun.plugin", "Bun", '["$"]', "Bun", "Bun"],
  ],
  [
    "members of the global object",
    "globalThis.Bun.$`id`; self.Bun.spawnSync(['id']); globalThis.global.process.binding('x'); const e = globalThis.eval; new self.Worker('w');",
    [],
    ["Bun.$", "Bun.spawnSync", "process.binding", "eval()", "new Worker()"],
  ],
  [
    "optional members",
    "Bun?.[k](x); process?.[k](x); globalThis?.[k](x); (import.meta)?.[k](x); import.meta?.[k](x); Bun?.spawn(x);",
    [],
    ["Bun", "a member of process", "globalThis", "import.meta", "import.meta", "Bun.spawn"],
  ],
  ["a variable that is called self", "const self = this; self.x; self.Buns; f(self); o.globalThis.Bun.sleep(1);", []],
  ["what of the runtime loads nothing", "Bun.sleep(1); Bun.file('x'); o.Bun.$; const x: Bun.Server = y;", []],
  [
    "modules by name",
    `process.getBuiltinModule("fs"); const { getBuiltinModule: g } = process; process.binding("x"); process["bin" + "ding"]("fs"); process.mainModule.require("x");`,
    [],
    [
      "getBuiltinModule",
      "getBuiltinModule",
      "process.binding",
      "a member of process",
      "a member with a computed name",
      "mainModule",
      "require()",
    ],
  ],
  [
    "process handed on",
    "const p = process; f(process); const o = { p: process };",
    [],
    ["process", "process", "process"],
  ],
  [
    "process as it is used",
    "process.env.X; process.env['X']; const { env } = process; typeof process; process.exit(1);",
    [],
  ],
  [
    "the global object",
    `globalThis["ev" + "al"]("x"); const g = globalThis; const { eval: e } = global; globalThis.fetch(u); typeof globalThis;`,
    [],
    ["globalThis", "a member with a computed name", "globalThis", "global"],
  ],
  [
    "constructors of code",
    `(() => {}).constructor("x")(); (async () => {})["con" + "structor"]("x"); f["constructor"]("x"); const F = Function; Reflect.construct(Function, a);`,
    [],
    ["the constructor of a value", "a member with a computed name", '["constructor"]', "Function", "Function"],
  ],
  [
    "constructors as they are used",
    "class A { constructor(x) {} } a.constructor.name; a.constructor === A; type F = Function; let g: (f: Function) => void;",
    [],
  ],
  [
    "members with literal names",
    `x["eval"](c); x?.["require"]("./a"); y["plain"]; z[\`createRequire\`](u); const l = ["eval"];`,
    [],
    ['["eval"]', '["require"]', '["createRequire"]'],
  ],
  ["members with computed names", "outputs['task-' + id]; table[`a${b}`] = 1; list[i + 1](x); handlers[name](x);", []],
  [
    "text as code, and other machines",
    `setTimeout("x()", 1); setTimeout(f, 1); new WebAssembly.Module(b); const W = Worker;`,
    [],
    ["setTimeout() with text", "WebAssembly", "Worker"],
  ],
  ["names written with escapes", `requ\\u0069re("./a");`, [], ["a name written with escapes"]],
  ["attributes", `import t from "./t.md" with { type: "text" };`, ["./t.md"]],
  [
    "names that only look like it",
    `const o = { import: 1, require: 2 }; o.import("x"); o?.require; import.meta.url;`,
    [],
  ],
  ["text that only looks like it", "const s = 'import(\"./no\")'; const t = `import \"./no\"`; // import './no'", []],
  ["code inside a template", 'const t = `a ${await import("./a")} b`;', ["./a"]],
  ["a hash-bang line", `#!/usr/bin/env bun\nimport "./a";`, ["./a"]],
];

describe("scanModule finds", () => {
  for (const [what, source, found, computed = []] of imports) {
    test(what, () => {
      const scan = scanModule(source);
      expect(scan.imports.map((each) => each.specifier)).toEqual([...found]);
      expect(scan.computed.map((each) => each.what)).toEqual([...computed]);
      for (const each of scan.imports) expect(source.slice(each.start + 1, each.end - 1)).toBe(each.specifier);
    });
  }
});

// What hides from a reader of words that does not know the grammar: quotes and brackets in a pattern that is taken for a
// division, or code between two divisions that are taken for a pattern. Each is found, or the doubt is reported.
const hiding: [what: string, source: string][] = [
  ["after the body of a function that is a value", `const f = function () {} / [require("./a")] / 2;`],
  ["after the body of a class that is a value", `const f = class {} / [require("./a")] / 2;`],
  ["after a block", `{} /\`/.test(x); require("./a"); /\`/;`],
  ["after a member called like a keyword", `x.return / [require("./a")] / 2;`],
  ["after an optional member called like a keyword", `x?.return / [require("./a")] / 2;`],
  ["after a method called like a statement", `x.if(y) / [require("./a")] / 2;`],
  ["after a condition with a mark", `if (x)!/\`/.test(y); require("./a"); /\`/;`],
  ["after the head of a loop that awaits", `for await (const a of b) /\`/.test(a); require("./a"); /\`/;`],
  ["after a name that is also a keyword", `const of = 1; of / [require("./a")] / 2;`],
  ["after a mark that stands apart", `x ! / [require("./a")] / 2;`],
  ["after a sign in front of a value", `x;\n++/\`/.lastIndex; require("./a"); /\`/;`],
  ["after a line that ends with a type", `let x: Y\n/\`/.test(x); require("./a"); /\`/;`],
  ["after a type with arguments", `const y = x as Z<number> / [require("./a")] / 2;`],
  ["after a list of types", `let x: Y[]\n/\`/.test(x); require("./a"); /\`/;`],
];

describe("scanModule does not lose sight of an import", () => {
  for (const [what, source] of hiding) {
    test(what, () => {
      const { imports, computed } = scanModule(source);
      const isFound = imports.some((each) => each.specifier === "./a");
      expect(isFound || computed.some((each) => each.what.startsWith("an ambiguous slash"))).toBe(true);
    });
  }

  test("in random code, whatever the runtime's parser makes of it", () => {
    const pieces =
      "/ / / ` \" ' a 1 ( ) { } [ ] ; , = => ! ++ -- if while for return typeof of in x.return x?.if ? : < > . ${ \\ // /* */ await new do else x! [/]"
        .split(" ")
        .concat(
          "\n",
          " ",
          "function () {}",
          "class {}",
          "as T<U>",
          "let x: T",
          "type A = B",
          "export default",
          "const q =",
        );
    const parser = new Bun.Transpiler({ loader: "ts" });
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const some = (): string =>
      Array.from({ length: random(6) }, () => pieces[random(pieces.length)]).join(random(3) === 0 ? "" : " ");
    let understood = 0;
    for (let i = 0; i < 40_000; i++) {
      const hidden = [`/ [import("./a")] / 2`, `/\`/.x; import("./a"); /\`/`, `import("./a")`][random(3)];
      const source = `${some()} ${hidden} ${some()}`;
      let isImport = false;
      try {
        isImport = parser.scan(source).imports.some((each) => each.path === "./a");
      } catch {
        // Most of it is not code at all.
      }
      if (!isImport) continue;
      understood++;
      const { imports, computed, problem } = scanModule(source);
      const isSeen = imports.some((each) => each.specifier === "./a") || computed.length > 0 || problem !== undefined;
      if (!isSeen) throw new Error(`overlooked in ${JSON.stringify(source)}`);
    }
    expect(understood).toBeGreaterThan(500);
  });

  test("and has no doubt about code as people write it", () => {
    const source = "const a = (b + c) / 2 / d[0]; if (/x/.test(e)) f(/y/, g! / 2); const h = `${i / 2}`; j++ / 2;";
    expect(scanModule(source).computed).toEqual([]);
  });
});

const broken: [what: string, source: string, line: number][] = [
  ["an open string", `export const a = 1;\nexport const b = "x\n";`, 2],
  ["an open template", "const a = 1;\n\nconst b = `x", 3],
  ["an open comment", "const a = 1; /* x", 1],
  ["an open bracket", "f(\n(\n1);", 1],
  ["a bracket that closes nothing", "const a = 1;\n}", 2],
];

describe("scanModule reports", () => {
  for (const [what, source, line] of broken) {
    test(`${what} with its line`, () => {
      expect(scanModule(source).problem?.line).toBe(line);
    });
  }
});

// Each of these crashes or stalls a parser that recurses, backtracks or looks ahead without a bound.
const hostile: [what: string, source: string][] = [
  ["nested functions", "()=>{".repeat(200_000)],
  ["nested lists in a literal", `export const x = ${"[".repeat(300_000)}`],
  ["imports without an end", "import a\n".repeat(100_000)],
  ["types without an end", "const a: ".repeat(100_000)],
  [
    "constants that unfold",
    Array.from({ length: 500 }, (_, i) => `export const c${i} = [c${i + 1}, c${i + 1}];`).join("\n"),
  ],
  ["declarations in one statement", `export const ${Array.from({ length: 100_000 }, (_, i) => `a${i}=1`).join(",")};`],
  ["slashes", "a / ".repeat(200_000)],
  ["empty templates", "`${`".repeat(100_000)],
];

describe("scanModule survives", () => {
  for (const [what, source] of hostile) {
    test(what, () => {
      scanModule(source);
    });
  }
});

// The runtime's own parser is the judge: on every file here, what it sees, the scan sees.
test("scanModule agrees with the runtime's parser on this project and on a large library", () => {
  const root = join(import.meta.dir, "../../..");
  const files = ["src/**/*.ts", "node_modules/zod/src/**/*.ts"].flatMap((glob) => [
    ...new Bun.Glob(glob).scanSync({ cwd: root }),
  ]);
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const disagreements: string[] = [];
  for (const file of files) {
    if (file.endsWith(".d.ts")) continue;
    const source = readFileSync(join(root, file), "utf8");
    const expected = transpiler.scan(source);
    const scan = scanModule(source);
    const found = new Set(scan.imports.map((each) => each.specifier));
    const missed = expected.imports.filter((each) => each.kind !== "require-resolve" && !found.has(each.path));
    const missedExports = scan.hasStarExport ? [] : expected.exports.filter((name) => !scan.exports.has(name));
    if (missed.length + missedExports.length > 0 || scan.problem !== undefined) disagreements.push(file);
  }
  expect(files.length).toBeGreaterThan(300);
  expect(disagreements).toEqual([]);
});
