// Runs as every front end uses them: start and resume return a handle at once; everything else asks about runs of any
// process. What takes time to load is loaded by the first call that needs it.

import { parseAgentOrder } from "../agents.ts";
import type { RunEvent } from "../../events/run-event.ts";
import type { AnyReducer } from "../../workflows/graph/model/reduce.ts";
import type { QuestionPolicy } from "../../workflows/graph/run/run-control.ts";
import { counted } from "../../lib/counted.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { SessionView } from "../../workflows/sessions/session-view.ts";
import type { NodeNote, ProgressNote } from "../progress-note.ts";
import type { QuietNode } from "../quiet-nodes.ts";
import type { RunApp } from "../run-app.ts";
import type { RecordedRuns } from "../recorded-runs.ts";
import type { RunPage } from "../run-page.ts";
import type { RunKind, RunReader } from "../runs-read.ts";
import type { RunRequests } from "../runs-requests.ts";
import type { Runs } from "../runs.ts";
import type { WorkflowInfo } from "../../catalog/modules/workflow-file.ts";
import type { PreparedResume, PreparedStart, PreparePorts, ResumeOptions, StartOptions } from "./prepare-run.ts";
import { runIdOf } from "./run-reference.ts";
import type { PreparedTest } from "./test-file.ts";
import { createRunHandle, type HandleFeed, type RunHandle } from "./run-handle.ts";

/** What a front end does during the run. All are optional. */
export interface RunFrontEnd {
  /** What happens to questions. Default: the run pauses when nothing else is left to do. */
  readonly questions?: QuestionPolicy | undefined;
  /** Called at once, in the order of the record; `events` of the handle brings the same a moment later. */
  readonly onEvent?: ((run: string, event: RunEvent) => void) | undefined;
  readonly onProgress?: ((run: string, note: ProgressNote) => void) | undefined;
  /** For a front end without `onProgress` and `hasLive`: what nodes report, without what agents do. */
  readonly onNodeProgress?: ((run: string, note: NodeNote) => void) | undefined;
  /** A node has shown no activity for a while. */
  readonly onQuiet?: ((run: string, quiet: QuietNode) => void) | undefined;
  /** False: nothing comes through `live`, and the agents' progress is not even collected. */
  readonly hasLive?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ConcurrencyChoice {
  /** Run although `live` names other runs that work here. */
  readonly isConcurrent?: boolean | undefined;
}

export interface StartChoice extends ConcurrencyChoice {
  /** Leave out what earlier runs completed, or do it again. Needed when `earlier` is there. */
  readonly earlierWork?: "leave-out" | "redo" | undefined;
}

export interface CandidateOptions extends Pick<ResumeOptions, "takeOver"> {
  /** Those that can be forked: in whatever state, but no chats. */
  readonly isFork?: boolean | undefined;
}

/** A run is named by its id, by the start of it where only one has that, or as @last: the newest of this folder. */
export interface AppRuns
  extends
    Pick<
      RunReader,
      | "page"
      | "ids"
      | "list"
      | "newest"
      | "live"
      | "events"
      | "follow"
      | "watch"
      | "transcript"
      | "endingFailure"
      | "owner"
    >,
    RunRequests,
    Pick<Runs, "remove" | "land" | "evidence" | "verify"> {
  /** What a workflow, skill, command or agent takes, read without running its file. */
  usage(name: string): Promise<Pick<WorkflowInfo, "name" | "description" | "options" | "prompt">>;
  /** Settles everything that can be settled before the run is made, and says what a user has to choose. */
  prepare(options: StartOptions, ports?: PreparePorts): Promise<PreparedStart>;
  /** From options, or from what was prepared. What can't start rejects `done`. */
  start(options: StartOptions | PreparedStart, frontEnd?: RunFrontEnd & PreparePorts & StartChoice): RunHandle;
  /**
   * The runs of this folder that `resume` or `fork` could mean, the newest first: at least one, at most `maxCandidates`.
   * Throws RUN_NOT_FOUND.
   */
  candidates(options: CandidateOptions): Promise<readonly RunPage[]>;
  /**
   * The run that `resume` would resume. Throws RUN_NOT_FOUND, and RUN_AMBIGUOUS where none is named and several can
   * be.
   */
  find(options: Pick<ResumeOptions, "run" | "takeOver">): Promise<RunPage>;
  prepareResume(options: ResumeOptions & { readonly run: string }, ports?: PreparePorts): Promise<PreparedResume>;
  resume(
    options: (ResumeOptions & { readonly run: string }) | PreparedResume,
    frontEnd?: RunFrontEnd & PreparePorts & ConcurrencyChoice,
  ): RunHandle;
  /**
   * A new run that begins with what this one has on record up to a point: a node (right before its last visit), a visit,
   * or an event's number. Gives its id; `resume` resumes it. The old run stays as it is.
   */
  fork(
    id: string,
    options: { readonly from: string; readonly isTrusted?: boolean | undefined },
  ): Promise<{ readonly run: string; readonly seq: number }>;
  /**
   * The reducers of the run's workflow, by the key of the state. Loads its file, which must be trusted already; none where
   * that isn't so, or the file can't be loaded.
   */
  reducers(id: string): Promise<Readonly<Record<string, AnyReducer>>>;
  /** The run that a user named by its id, the start of it, or as @last; whether it exists shows when it is read. */
  idOf(reference: string): Promise<string>;
  /** How the run stood right after this event. Throws USAGE for a number that its record does not have. */
  at(id: string, seq: number): Promise<SessionView>;
  /** A workflow file, to be tested. Throws USAGE when there is no such file, and WORKFLOW_FILE_INVALID. */
  prepareTest(
    options: { readonly file: string; readonly isTrusted: boolean },
    ports?: Pick<PreparePorts, "onNotice">,
  ): Promise<PreparedTest>;
  /** A text as the record of a run would hold it: secrets are masked. */
  redact(text: string): Promise<string>;
  /** For a front end that must go at once: ends what this process started for the run. */
  endChildren(id: string): void;
}

/** More than a user looks through; each one is read. */
export const maxCandidates = 20;

export interface AppRunsOptions {
  /** Read anew after a reload. */
  readonly app: () => Promise<RunApp>;
  /** The same runs, to look at: loads less. */
  readonly recorded: () => Promise<RecordedRuns>;
  readonly newId: () => string;
  readonly projectDir: string;
  readonly prepareTest: AppRuns["prepareTest"];
}

export function createAppRuns({ app: load, recorded, newId, projectDir, prepareTest }: AppRunsOptions): AppRuns {
  let loaded: RunApp | undefined;
  const app = async (): Promise<RunApp> => (loaded = await load());
  const reader = async (): Promise<RunReader> => (await recorded()).reader();
  const named = (reference: string): Promise<string> => runIdOf(reference, reader, projectDir);

  const handle = (
    name: { readonly written: string; readonly named?: Promise<string> },
    { onEvent }: RunFrontEnd,
    launch: (feed: HandleFeed) => ReturnType<Runs["start"]>,
  ): RunHandle =>
    createRunHandle(
      name,
      {
        read: async function* (run, from) {
          yield* (await reader()).events(run, from);
        },
        answer: async (run, answer) => (await app()).runs.answer(run, answer),
        cancel: async (run) => (await app()).runs.cancel(run),
        onEvent: (run, event) => onEvent?.(run, event),
      },
      launch,
    );

  async function prepare(options: StartOptions, ports: PreparePorts = {}): Promise<PreparedStart> {
    const { prepareStart } = await import("./prepare-run.ts");
    return prepareStart(await app(), options, ports);
  }

  async function candidates({ takeOver, isFork }: CandidateOptions): Promise<readonly RunPage[]> {
    const runs = await reader();
    const found: RunPage[] = [];
    const collect = async (which: RunKind): Promise<void> => {
      for await (const page of runs.ofFolder(projectDir, which)) if (found.push(page) >= maxCandidates) return;
    };
    if (isFork === true) {
      await collect("forkable");
      if (found.length > 0) return found;
      throw new AtomicError(
        "RUN_NOT_FOUND",
        `There is no run of ${projectDir} to fork. \`atomic sessions\` lists all runs; fork one of another folder by its id.`,
      );
    }
    if (takeOver !== true) await collect("resumable");
    // A run whose process can't be seen from here comes last: resuming it says what to do about that.
    if (found.length === 0) await collect("takeable");
    if (found.length > 0) return found;
    const [running] = await runs.live({ cwd: projectDir, includesElsewhere: true });
    throw new AtomicError(
      "RUN_NOT_FOUND",
      running === undefined
        ? `No run of ${projectDir} can be resumed. \`atomic sessions\` lists all runs; resume one of another folder by its id.`
        : `No run of ${projectDir} can be resumed: ${running.id} is running. Watch it with \`atomic logs -f ${running.id}\`, or pause it with \`atomic pause ${running.id}\`.`,
    );
  }

  async function prepareResume(
    options: ResumeOptions & { readonly run: string },
    ports: PreparePorts = {},
  ): Promise<PreparedResume> {
    const { prepareResume: settle } = await import("./prepare-run.ts");
    const { runs } = await app();
    return settle(await app(), await runs.page(await named(options.run)), options, ports);
  }

  return {
    page: async (id) => (await reader()).page(await named(id)),
    idOf: named,
    ids: async () => (await recorded()).ids(),
    list: async (limit) => (await recorded()).list(limit),
    live: async (where) => (await app()).runs.live(where),
    newest: async (cwd, which) => (await reader()).newest(cwd, which),
    async *events(id, from) {
      yield* (await reader()).events(await named(id), from);
    },
    async *follow(id, options) {
      yield* (await reader()).follow(await named(id), options);
    },
    async *watch(id, options) {
      yield* (await reader()).watch(await named(id), options);
    },
    async *transcript(id, options) {
      yield* (await reader()).transcript(await named(id), options);
    },
    endingFailure: async (id) => (await reader()).endingFailure(await named(id)),
    owner: async (id) => (await reader()).owner(await named(id)),
    pause: async (id) => (await app()).runs.pause(await named(id)),
    cancel: async (id) => (await app()).runs.cancel(await named(id)),
    answer: async (id, answer) => (await app()).runs.answer(await named(id), answer),
    remove: async (id) => (await app()).runs.remove(await named(id)),
    land: async (id, tasks) => (await app()).runs.land(await named(id), tasks),
    evidence: async (id) => (await app()).runs.evidence(await named(id)),
    async *verify(id, signal) {
      yield* (await app()).runs.verify(await named(id), signal);
    },
    async usage(name) {
      const { settings, openProject } = await app();
      const [agent] = parseAgentOrder(settings.text("agent") ?? "claude");
      return openProject({ isTrustedForThisRun: false, agent, onNotice: () => undefined }).usage(name);
    },
    prepare,
    start(options, frontEnd = {}) {
      const id = newId();
      return handle({ written: id }, frontEnd, async (feed) => {
        const prepared = "request" in options ? options : await prepare(options, frontEnd);
        requireFreeFolder(prepared, frontEnd);
        const { request } = prepared;
        const { runs } = await app();
        return runs.start({
          ...request,
          ...chosenAbout(prepared, frontEnd),
          ...termsOf(prepared, frontEnd, feed),
          run: id,
        });
      });
    },
    candidates,
    async find({ run, takeOver }) {
      if (run !== undefined) return (await reader()).page(await named(run));
      const [newest, ...others] = await candidates({ takeOver });
      if (newest !== undefined && others.length === 0) return newest;
      throw new AtomicError(
        "RUN_AMBIGUOUS",
        `Several runs of ${projectDir} can be resumed. Say which one: \`atomic resume ID\`.`,
        { details: { runs: [newest, ...others].map((page) => page?.view.id ?? "") } },
      );
    },
    prepareResume,
    resume(options, frontEnd = {}) {
      const written = "request" in options ? options.page.view.id : options.run;
      // Once: by the next call, @last may be another run.
      const id = "request" in options ? Promise.resolve(written) : named(written);
      return handle({ written, named: id }, frontEnd, async (feed) => {
        const prepared = "request" in options ? options : await prepareResume({ ...options, run: await id }, frontEnd);
        requireFreeFolder(prepared, frontEnd);
        const { runs } = await app();
        return runs.resume({ ...prepared.request, ...termsOf(prepared, frontEnd, feed) });
      });
    },
    async fork(id, { from, isTrusted }) {
      const { runs } = await app();
      const { id: source } = (await runs.page(await named(id))).view;
      const run = newId();
      const { seq } = await runs.fork(source, { from, into: run, isTrustedForThisRun: isTrusted });
      return { run, seq };
    },
    async reducers(id) {
      const { runReducers } = await import("./run-reducers.ts");
      return runReducers(await app(), await named(id));
    },
    at: async (id, seq) => (await reader()).at(await named(id), seq),
    prepareTest,
    redact: async (text) => (await app()).starterOptions.redact?.(text) ?? text,
    // Nothing was started before it was loaded.
    endChildren: (id) => loaded?.endChildren(id),
  };
}

function termsOf(
  { limits, answers, noQuestions }: Pick<PreparedStart, "limits" | "answers" | "noQuestions">,
  { questions = "suspend", onEvent, onProgress, onNodeProgress, onQuiet, hasLive = true, signal }: RunFrontEnd,
  feed: HandleFeed,
) {
  return {
    limits,
    answers,
    questions: noQuestions ? ("decline" as const) : questions,
    signal: signal === undefined ? feed.signal : AbortSignal.any([signal, feed.signal]),
    onView: feed.showView,
    onEvent: (run: string, event: RunEvent) => {
      feed.event(event);
      onEvent?.(run, event);
    },
    onProgress: hasLive
      ? (run: string, note: ProgressNote) => {
          feed.progress(note);
          onProgress?.(run, note);
        }
      : onProgress,
    onNodeProgress,
    onQuiet,
  };
}

/** Throws FOLDER_BUSY if another run works there and the caller has not allowed it. */
function requireFreeFolder({ live }: Pick<PreparedStart, "live">, { isConcurrent }: ConcurrencyChoice): void {
  const [first] = live;
  if (first === undefined || isConcurrent === true) return;
  throw new AtomicError(
    "FOLDER_BUSY",
    `Run ${first.id} (${first.workflow}) works in ${first.cwd} right now. Nothing was started. Wait for it, pause it, or choose to run both.`,
    { details: { runs: live.map(({ id }) => id) } },
  );
}

/** Throws TASKS_DONE_EARLIER where a choice is needed and none was made. */
function chosenAbout(
  { tasks, earlier, request }: PreparedStart,
  { earlierWork }: StartChoice,
): Partial<PreparedStart["request"]> {
  if (tasks === undefined || earlier === undefined) return {};
  const choice = earlierWork ?? tasks.earlierWork;
  if (choice === "ask") {
    throw new AtomicError(
      "TASKS_DONE_EARLIER",
      `An earlier run (${earlier.run}) completed ${earlier.completed} of ${counted(earlier.total, "task")} of ${earlier.file}. Nothing was started. Choose what to do about them.`,
      { details: { run: earlier.run, completed: earlier.completedIds } },
    );
  }
  if (choice === "leave-out") return { completedEarlier: earlier.completedIds };
  // Also what the list itself calls done.
  return "redo" in request.options ? { options: { ...request.options, redo: true } } : {};
}
