// Errors a caller can act on. Owns the class, the brand and the list of codes; every code has an entry in
// docs/errors.md (a test compares the two). Bugs stay plain Error; a cancelled run is an outcome, not an error.

/** Every code a user or an author can meet. The text of the error says what happened, where, and what to do next. */
export const errorCodes = [
  // graphs and nodes: the author fixes the workflow
  "GRAPH_INVALID",
  "BUILDER_MISUSE",
  "NOT_JSON",
  "CREATE_STATE_FAILED",
  "NODE_FAILED",
  "NODE_TIMEOUT",
  "STEP_LIMIT",
  "ROUTE_UNKNOWN",
  "RUN_CANCELLED",
  "WORKFLOW_NOT_FOUND",
  "WORKFLOW_CYCLE",
  "RUNTIME_MISSING",
  "CRASH_DIFFERS",
  // journals: the operator decides what happens to a run
  "RUN_AMBIGUOUS",
  "RUN_NOT_FOUND",
  "RUN_EXISTS",
  "RUN_OWNED",
  "RUN_FINISHED",
  "OWNER_LOST",
  "JOURNAL_CORRUPT",
  "JOURNAL_NEWER",
  "JOURNAL_UNREADABLE",
  "JOURNAL_WRITE_FAILED",
  "TOO_MANY_OPEN_FILES",
  "JOURNAL_DIVERGED",
  "GRAPH_CHANGED",
  "STATE_VERSION",
  "QUESTION_UNKNOWN",
  "SQLITE_UNAVAILABLE",
  "POSTGRES_UNAVAILABLE",
  "STORE_NOT_PREPARED",
  "RUN_ID_INVALID",
  "VERIFY_FAILED",
  // agents: the backend, its program, or a script
  "AGENT_TURN_FAILED",
  "AGENT_UNAVAILABLE",
  "AGENT_NEEDS_TRUST",
  "SANDBOX_UNAVAILABLE",
  "AGENT_CAPABILITY",
  "AGENT_SESSION_UNKNOWN",
  "AGENT_SESSION_CLOSED",
  "AGENT_UNKNOWN",
  "QUESTION_ANSWER_INVALID",
  "SCRIPT_INVALID",
  // what was found on disk: names, trust, files
  "ENTITY_NOT_FOUND",
  "ENTITY_INVALID",
  "NOT_TRUSTED",
  "TRUST_STORE_INVALID",
  "WORKFLOW_FILE_INVALID",
  "SDK_TOO_OLD",
  "TASKS_INVALID",
  // the command line and its settings
  "USAGE",
  "SETTINGS_INVALID",
  "OUTPUT_FAILED",
  "FILE_EXISTS",
  "FILE_FAILED",
  // work on a list of tasks: what stops it
  "WORK_NOT_KEPT",
  "WORK_INCOMPLETE",
  "WORKTREE_FAILED",
  "PLAN_INVALID",
  "TASKS_MISSING",
  "TASKS_DONE_EARLIER",
  "FOLDER_BUSY",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

// A discovered workflow may load its own copy of this package, so `instanceof` can't be trusted.
const brand: unique symbol = Symbol.for("atomic.error") as never;

export interface AtomicErrorOptions {
  cause?: unknown;
  /** True if the same call may succeed later without any change. */
  retryable?: boolean;
  /** Facts for programs, JSON only: paths, ids, versions. Never needed to understand the message. */
  details?: Readonly<Record<string, unknown>>;
}

export class AtomicError extends Error {
  override readonly name = "AtomicError";
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: AtomicErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Object.defineProperty(this, brand, { value: true });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
  }

  static is(value: unknown, code?: ErrorCode): value is AtomicError {
    if (typeof value !== "object" || value === null || !(brand in value)) return false;
    return code === undefined || (value as { code?: unknown }).code === code;
  }
}

const maxShownChars = 500;
const unshowable = "a value that can't be shown";

/** The text of anything that was thrown: an object without a message is shown as JSON. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message;
    if (typeof thrown !== "object" || thrown === null) return String(thrown);
    if ("message" in thrown && typeof thrown.message === "string") return thrown.message;
    const shown: string | undefined = JSON.stringify(thrown);
    if (shown === undefined) return unshowable;
    return shown.length > maxShownChars ? `${shown.slice(0, maxShownChars)}…` : shown;
  } catch {
    // Anything may be thrown here: a cycle, a proxy, a getter or toString that throws.
    return unshowable;
  }
}
