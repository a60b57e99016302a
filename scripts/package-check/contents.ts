// Checks the contents of the tarball: only what a user needs, no path of this machine, and declaration maps whose
// sources are included.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { projectRoot, type Packed } from "./packed.ts";

const allowed: readonly RegExp[] = [
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|THIRD_PARTY_NOTICES\.md|docs\/errors\.md)$/,
  /^bin\/(atomic|find-bun\.sh|explain-missing-bun\.sh|start-from-node\.cjs|bunfig\.toml|tsconfig\.json|package\.json)$/,
  /^dist\/(program\/)?(shared\/)?[\w-]+\.js$/,
  /^dist\/program\/tui\/open-chat-screen\.js$/,
  /^dist\/dts\/[\w/-]+\.d\.ts(\.map)?$/,
  /^dist\/source\/[\w/-]+\.ts$/,
];

export async function checkContents({ installed, temp }: Packed): Promise<string> {
  const machinePaths = [projectRoot, temp, `${homedir()}/`, "/home/", "/Users/", "file:///"];
  const files = readdirSync(installed, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  let bytes = 0;
  let maps = 0;
  for (const file of files) {
    const name = file.slice(installed.length + 1);
    if (!allowed.some((pattern) => pattern.test(name)) || /(^|\/)tests?\/|\.(type-)?test\./.test(name))
      throw new Error(`The tarball must not hold ${name}.`);
    const text = readFileSync(file, "utf8");
    bytes += text.length;
    for (const path of machinePaths) {
      if (text.includes(path)) throw new Error(`${name} of the tarball holds the machine's path ${path}.`);
    }
    if (text.includes("bun:test")) throw new Error(`${name} of the tarball imports the test runner.`);
    if (name.startsWith("bin/") && text.includes("\r"))
      throw new Error(`${name} of the tarball has Windows line ends. A shell can't run it.`);
    if (name.endsWith(".map")) {
      checkMap(file, name);
      maps++;
    }
  }
  if (maps < 20) throw new Error(`The tarball holds only ${maps} declaration maps.`);
  await lintPackage(installed);
  return `${files.length} files, ${Math.round(bytes / 1024)} kB; ${maps} declaration maps; publint has nothing to report`;
}

function checkMap(file: string, name: string): void {
  const { sources } = JSON.parse(readFileSync(file, "utf8")) as { sources: readonly string[] };
  const missing = sources.filter((source) => !existsSync(join(dirname(file), source)));
  if (sources.length !== 1 || missing.length > 0)
    throw new Error(`${name} names ${sources.join()}, which is not there.`);
  const declaration = file.replace(/\.map$/, "");
  if (!readFileSync(declaration, "utf8").includes("\n//# sourceMappingURL=")) throw new Error(`Nothing uses ${name}.`);
}

async function lintPackage(installed: string): Promise<void> {
  const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false });
  if (messages.length > 0) {
    throw new Error(`publint:\n${messages.map((message) => formatMessage(message, pkg ?? {})).join("\n")}`);
  }
}
