// The text of THIRD_PARTY_NOTICES.md, from the license files of the packages that the program contains.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { containedPackages } from "./bundle-package.ts";

const root = join(import.meta.dir, "..");

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

// Bun's npm packages contain no license file, so its terms are here.
const bun = (version: string): string => `## Bun ${version}

License: MIT. Bun is the runtime of the program: npm installs it beside the tarball, and the single file contains it.

Copyright (c) Oven (Jarred Sumner and Bun contributors)

${mit}

Bun contains other software under its own licenses, among it JavaScriptCore and WebKit (LGPL-2.1 and BSD-2-Clause),
BoringSSL (Apache-2.0 and ISC), SQLite (public domain), mimalloc (MIT), zlib-ng (Zlib), libarchive (BSD), c-ares (MIT),
simdutf (Apache-2.0 or MIT), tinycc (LGPL-2.1) and uWebSockets (Apache-2.0). Bun's documentation has the whole list,
and its repository the sources and what is needed to link it again with a changed JavaScriptCore.
`;

// OpenTUI's package holds them as compiled files, without their license files.
const grammars = `## Grammars of tree-sitter

License: MIT. The full-screen chat contains compiled grammars for highlighting code and Markdown, as OpenTUI distributes
them: tree-sitter-javascript and tree-sitter-typescript (Copyright (c) Max Brunsfeld), tree-sitter-markdown (Copyright
(c) Matthias Deiml) and tree-sitter-zig (Copyright (c) Amaan Qureshi).
`;

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

export function noticesText(): string {
  const packages = [...new Set([...containedPackages, ...Object.keys(readManifest(root).dependencies ?? {})])]
    .toSorted()
    .map(packageNotice);
  return [
    "# Third-party notices\n",
    "Atomic is under the MIT license (`LICENSE`). It contains or brings along the software below.",
    "Agents' programs and SDKs are not part of it: you install those yourself, under their own terms.\n",
    ...packages,
    grammars,
    bun(Bun.version),
  ].join("\n");
}

function packageNotice(name: string): string {
  const folder = ["", "@opentui/core/node_modules"]
    .map((inside) => join(root, "node_modules", inside, name))
    .find((each) => existsSync(each));
  if (folder === undefined) throw new Error(`The package ${name} is not installed.`);
  const { version, license = "unknown" } = readManifest(folder);
  const file = readdirSync(folder).find((each) => /^licen[cs]e(-mit)?(\.(md|txt))?$/i.test(each));
  if (file === undefined) throw new Error(`The package ${name} has no license file. Add its terms to the notices.`);
  // As the formatter leaves it.
  const text = readFileSync(join(folder, file), "utf8").trim().replaceAll(/^\* /gm, "- ");
  return `## ${name} ${version}\n\nLicense: ${license}.\n\n${text}\n`;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
