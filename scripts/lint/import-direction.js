// house/import-direction: imports go down the layers of layers.js, including types. Checks the file that a specifier
// resolves to, not its spelling, so that it works at any depth.

import { dirname, relative, resolve, sep } from "node:path";
import { isDownInEngine, layerOf } from "./layers.js";

const testFile = /\.(test|type-test)\.tsx?$/;

export const importDirection = {
  meta: { type: "problem" },
  create(context) {
    const path = relative(context.cwd, context.filename).split(sep).join("/");
    const check = checkerFor(path);
    if (check === undefined) return {};
    const visit = (node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== "string") return;
      const problem = check(specifier, context);
      if (problem !== undefined) context.report({ node: node.source, message: problem });
    };
    return {
      ImportDeclaration: visit,
      ExportNamedDeclaration: visit,
      ExportAllDeclaration: visit,
      ImportExpression: visit,
      TSImportType: visit,
    };
  },
};

function checkerFor(path) {
  if (testFile.test(path)) return undefined;
  if (path.startsWith("examples/")) return (specifier) => checkExample(specifier);
  if (!path.startsWith("src/")) return undefined;
  return (specifier, context) => checkSource(path, specifier, context);
}

/** An example shows what an author writes, so it may import only what an author has: the package, and zod. */
function checkExample(specifier) {
  if (/^(atomic|@atomic|node:|zod$)/.test(specifier) || specifier.startsWith("./")) return undefined;
  return `An example imports the public subpaths and nothing else of the project, not "${specifier}".`;
}

function checkSource(path, specifier, context) {
  const from = layerOf(path);
  if (from === undefined) return `${path} is in no layer. Add its folder to scripts/lint/layers.js.`;
  if (!specifier.startsWith(".")) return checkPackage(path, from, specifier);
  const target = relative(context.cwd, resolve(dirname(context.filename), specifier))
    .split(sep)
    .join("/");
  const to = layerOf(target);
  if (to === undefined) return `${path} imports ${target}, which is in no layer of scripts/lint/layers.js.`;
  if (to === from && to.name === "graph" && !isDownInEngine(path, target))
    return `${path} must not import ${target}: inside the engine imports go down only, see scripts/lint/layers.js.`;
  if (to === from || from.imports.includes(to.name)) return undefined;
  return `${path} (${from.name}) must not import ${target} (${to.name}): imports go down only, see docs/architecture.md.`;
}

function checkPackage(path, from, specifier) {
  if (/^@?atomic(\/|$)/.test(specifier))
    return `Inside src/, import the file by its relative path, not "${specifier}".`;
  if (from.packages !== false) return undefined;
  return `${path} (${from.name}) must not import "${specifier}": this layer runs anywhere and depends on no package.`;
}
