// The full-screen chat of the package: a module beside the program, which loads it only for a chat. OpenTUI and React
// are optional dependencies and not bundled: with their grammars they are as large as everything else, and the library
// does not need them. Without them the chat uses plain lines. The single file contains them.

import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };

/** Its path in the program's import, and below the program's folder. */
export const screenSource = join(import.meta.dir, "../src/tui/open-chat-screen.tsx");
export const screenModule = "./tui/open-chat-screen.js";

/** What the single file contains for it, including OpenTUI's own bundle. THIRD_PARTY_NOTICES.md has their licenses. */
export const screenPackages: readonly string[] = [
  "@opentui/core",
  "@opentui/react",
  "ansi-regex",
  "bun-ffi-structs",
  "diff",
  "emoji-regex",
  "get-east-asian-width",
  "marked",
  "react",
  "react-reconciler",
  "scheduler",
  "string-width",
  "strip-ansi",
  "web-tree-sitter",
];

/** DEV=true would make OpenTUI load a debugger, and connect to it. */
export const screenDefinitions = { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' } as const;

export async function bundleScreen(folder: string): Promise<void> {
  const installed = Object.keys(manifest.optionalDependencies);
  const { success, logs } = await Bun.build({
    entrypoints: [screenSource],
    outdir: join(folder, "tui"),
    target: "bun",
    format: "esm",
    minify: true,
    define: { ...screenDefinitions },
    external: installed.flatMap((name) => [name, `${name}/*`]),
    naming: "[name].[ext]",
  });
  if (!success) throw new Error(`The screen can't be bundled:\n${logs.map(({ message }) => message).join("\n")}`);
}
