// How far the agents of a run are restricted: the modes and their names.

export const sandboxModes = ["off", "worktree", "strict"] as const;

/**
 * `worktree`: writes only to the folder that the agent works in, temporary files, its own state and package caches.
 * `strict`: the same, and only hosts of the allow list can be reached.
 */
export type SandboxMode = (typeof sandboxModes)[number];

export function isSandboxMode(text: string): text is SandboxMode {
  return sandboxModes.some((mode) => mode === text);
}
