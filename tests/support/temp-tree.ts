// For tests: a folder of real files that is removed at the end of the block.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export type TreeFile = string | Uint8Array | { readonly link: string } | { readonly folder: true };

export interface TempTree extends Disposable {
  readonly root: string;
  path(...parts: string[]): string;
  write(files: Readonly<Record<string, TreeFile>>): void;
}

/** Links are created as written: relative to the folder they are in. */
export function tempTree(files: Readonly<Record<string, TreeFile>> = {}): TempTree {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-catalog-")));
  const tree: TempTree = {
    root,
    path: (...parts) => join(root, ...parts),
    write(more) {
      for (const [name, content] of Object.entries(more)) {
        const path = join(root, name);
        mkdirSync(dirname(path), { recursive: true });
        if (typeof content === "string" || content instanceof Uint8Array) writeFileSync(path, content);
        else if ("link" in content) symlinkSync(content.link, path);
        else mkdirSync(path, { recursive: true });
      }
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
  tree.write(files);
  return tree;
}
