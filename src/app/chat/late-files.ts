// The files of a project before their first use: the code that reads them is loaded with the first refresh.

import type { ProjectFiles } from "./project-files.ts";

export function createLateFiles(load: () => Promise<ProjectFiles>): ProjectFiles {
  const listeners = new Set<() => void>();
  let loading: Promise<ProjectFiles> | undefined;
  let files: ProjectFiles | undefined;
  return {
    search: (query, limit) => files?.search(query, limit) ?? [],
    async refresh() {
      loading ??= load().then((made) => {
        made.onChange(() => {
          for (const listener of listeners) listener();
        });
        return (files = made);
      });
      await (await loading).refresh();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
