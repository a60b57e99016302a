// A tasks.json as authors see it in types: version "1.0". Reading a user's file is task-file.ts.

/** One task, as tasks.json has it. Keys that Atomic doesn't know survive in `metadata`. */
export interface Task {
  id: string;
  name: string;
  description?: string;
  status: "pending" | "in_progress" | "passing" | "failing" | "skipped";
  /** Lower goes first. */
  priority?: number;
  /** Ids of the tasks that must be completed first. */
  dependencies?: string[];
  /** A command that exits 0 when the task is done. */
  verify?: string;
  /** Why it failed. */
  error?: string;
  metadata?: Record<string, unknown>;
}

export interface TasksFile {
  version: "1.0";
  tasks: Task[];
  metadata?: {
    createdAt: string;
    updatedAt: string;
    /** `spec`, `manual` or `generated`. */
    source?: string;
  };
}
