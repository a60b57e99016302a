// Faults that the package had or could have, each as a change of one file, with the check that must notice it and the
// expected message. A change that no longer applies is an error, so that the list follows the code.

export interface Fault {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The check that notices it. */
  readonly check: string;
  readonly says: RegExp;
}

export const faults: readonly Fault[] = [
  {
    name: "the helper of lowered syntax is left to an install that does not bring it",
    file: "scripts/bundle.ts",
    from: "external: [/^node:/, /^bun:/,",
    to: "external: [/^node:/, /^bun:/, /^@oxc-project/,",
    check: "imports",
    says: /imports @oxc-project\/runtime\/\S+, which an install does not bring/,
  },
  {
    name: "the same, seen by using the program",
    file: "scripts/bundle.ts",
    from: "external: [/^node:/, /^bun:/,",
    to: "external: [/^node:/, /^bun:/, /^@oxc-project/,",
    check: "program",
    says: /Cannot find package '@oxc-project\/runtime'/,
  },
  {
    name: "a file that Bun reads as Latin-1 holds other characters",
    file: "scripts/bundle.ts",
    from: "generateBundle: (_, files) => escapeAll(files)",
    to: "generateBundle: (_, files) => void [escapeAll, files]",
    check: "program",
    says: /garbled|differs from the clone's|must end with 0/,
  },
  {
    name: "a package of the program is not in its bundle",
    file: "scripts/bundle-package.ts",
    from: 'packages: "bundled"',
    to: 'packages: "external"',
    check: "imports",
    says: /imports zod, which an install does not bring/,
  },
  {
    name: "the engine for browsers reaches built-in modules",
    file: "src/public/graph.ts",
    from: "export { graph, GraphBuilder",
    to: 'import "../workflows/file-defaults.ts";\nexport { graph, GraphBuilder',
    check: "imports",
    says: /atomic\/workflows\/graph must need nothing, but imports node:/,
  },
  {
    name: "the same, seen by bundling",
    file: "src/public/graph.ts",
    from: "export { graph, GraphBuilder",
    to: 'import "../workflows/file-defaults.ts";\nexport { graph, GraphBuilder',
    check: "bundles",
    says: /Could not resolve "node:/,
  },
  {
    name: "a bundler sees bun:sqlite",
    file: "src/journal/sqlite/sqlite-library.ts",
    from: '["bun", "sqlite"].join(":")',
    to: '"bun:sqlite"',
    check: "bundles",
    says: /Could not resolve "bun:sqlite"/,
  },
  {
    name: "bundlers may drop what an entry does",
    file: "package.json",
    from: '"./dist/graph-with-files.js",\n    "./dist/postgres.js",\n    "./dist/workflows.js",\n    ',
    to: "",
    check: "imports",
    says: /must be listed in sideEffects/,
  },
  {
    name: "a declaration compiles with exactOptionalPropertyTypes only",
    file: "src/journal/port.ts",
    from: "export type JournalEvent = JsonObject & {",
    to: "export interface JournalEvent {\n  readonly [key: string]: Json;",
    check: "declarations",
    says: /do not compile with TypeScript (5\.9|7) \(.*exactOptionalPropertyTypes false/,
  },
  {
    name: "everyone who wants the library installs Bun",
    file: "package.json",
    from: '"dependencies": {',
    to: '"dependencies": {\n    "bun": "1.4.4",',
    check: "small install",
    says: /ended with 1|takes \d+\.\d MB|installed Bun/,
  },
  {
    name: "no Bun comes with the program",
    file: "package.json",
    from: '    "@oven/bun-darwin-aarch64"',
    to: '    "react": "19.3.1"\n  },\n  "unusedDependencies": {\n    "@oven/bun-darwin-aarch64"',
    check: "program",
    says: /Bun, which runs this program, was not installed with it/,
  },
  {
    name: "the launcher has Windows line ends",
    file: "bin/atomic",
    from: "\n",
    to: "\r\n",
    check: "contents",
    says: /bin\/atomic of the tarball has Windows line ends/,
  },
  {
    name: "a declaration map leads nowhere",
    file: "scripts/emit-declarations.ts",
    from: "sources: [relative(dirname(mapFile), copy)]",
    to: "sources: [relative(dirname(mapFile), `${copy}x`)]",
    check: "contents",
    says: /\.d\.ts\.map names \S+, which is not there/,
  },
  {
    name: "`init` of the installed program writes paths that are not there",
    file: "src/main/editor-types.ts",
    from: '""), "..", "..")',
    to: '""), "..")',
    check: "program",
    says: /rejects the workflow that `atomic init` of the tarball wrote/,
  },
  {
    name: "the single file has no declarations",
    file: "scripts/build-single-file.ts",
    from: 'join(root, "src/main.ts"),\n        declarations,',
    to: 'join(root, "src/main.ts"),',
    check: "program",
    says: /the single file/,
  },
];
