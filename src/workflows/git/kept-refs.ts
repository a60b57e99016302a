// The refs under which a run keeps the user's uncommitted work in the repository: files, what is staged and differs from
// them, and files of repositories inside this one.

export const keptKinds = ["kept", "staged", "nested"] as const;

export function keptRef(kind: (typeof keptKinds)[number], run: string): string {
  return `refs/atomic/${kind}/${run}`;
}
