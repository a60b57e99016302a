// How the folders of a run's workers are called.

/** What the name of each starts with, and that of its record. */
export function treePrefix(run: string): string {
  return `atomic-${run.slice(0, 8)}-`;
}
