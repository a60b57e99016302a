// Workflows in a chat: `/ralph …` and `/resume`. Each is a run like any other, with its own record; the chat shows
// its progress, asks its questions and pauses it. One at a time.

import { isTerminal } from "../../agents/events.ts";
import type { AgentQuestion, QuestionReply } from "../../agents/questions.ts";
import { toolTitle } from "../../agents/tool-title.ts";
import { chatWorkflow } from "../../chat/chat-event.ts";
import type { ChatBlock } from "../../chat/chat-view.ts";
import type { CommandResult } from "../../commands/slash-command.ts";
import type { Json } from "../../lib/json.ts";
import type { OpenQuestion } from "../../workflows/graph/model/question.ts";
import { titleOf } from "../../workflows/sessions/progress-text.ts";
import type { ProgressNote } from "../progress-note.ts";
import type { RunResult } from "../runs-start.ts";
import type { AppRuns, RunFrontEnd } from "../runs/app-runs.ts";
import type { PreparedStart } from "../runs/prepare-run.ts";
import { isResumable } from "../run-status.ts";
import { optionList } from "../runs/run-options.ts";
import { type RunChoices, runChoicesOf } from "../runs/run-choices.ts";
import type { RunHandle } from "../runs/run-handle.ts";
import type { Conversation, TurnOutcome, WorkFeed } from "./conversation.ts";
import type { ResumableRun } from "./chat-outcome.ts";

type WorkflowCall = Extract<CommandResult, { readonly kind: "workflow" }>;

export interface ChatWorkflows {
  /** The name of the one that runs. */
  active(): string | undefined;
  start(call: WorkflowCall, line: string): Promise<TurnOutcome>;
  /** Those of this folder, the newest first. */
  resumable(): Promise<readonly ResumableRun[]>;
  resume(id: string, line: string): Promise<TurnOutcome>;
}

export interface ChatWorkflowsOptions {
  readonly conversation: Pick<Conversation, "work">;
  readonly runs: Pick<AppRuns, "prepare" | "prepareResume" | "find" | "list" | "start" | "resume">;
  /** The chat's own agent, for what is not chosen otherwise. */
  readonly choices: () => RunChoices;
  readonly cwd: string;
  readonly now: () => number;
}

/** More would be too many to choose from. */
const listedRuns = 200;

export function createChatWorkflows({ conversation, runs, choices, cwd, now }: ChatWorkflowsOptions): ChatWorkflows {
  let active: string | undefined;

  function chosen(values: WorkflowCall["run"]): RunChoices {
    const own = choices();
    const asked = runChoicesOf(values);
    // An agent that was chosen for the workflow comes with its own script and model.
    return asked.agent === undefined ? { ...asked, ...fallbacks(own, asked) } : asked;
  }

  async function run(
    name: string,
    line: string,
    verb: "Started" | "Resumed",
    begin: (feed: WorkFeed, frontEnd: (words: Described | undefined) => RunFrontEnd) => Promise<RunHandle | undefined>,
  ): Promise<TurnOutcome> {
    let handle: RunHandle | undefined;
    let isStopped = false;
    active = name;
    try {
      return await conversation.work({
        line,
        onInterrupt() {
          isStopped = true;
          handle?.pause("interrupted");
        },
        async body(feed) {
          await feed.say(`Starting **${name}** workflow...`);
          const asked = new Map<string, string>();
          handle = await begin(feed, (words = {}) => ({
            ...showProgress({ name, verb, words, asked }, feed, now),
            questions(question) {
              asked.set(question.id, question.text);
              return ask(question, feed);
            },
          }));
          if (handle === undefined) return { outcome: "interrupted", message: "Nothing was started." };
          if (isStopped) handle.pause("interrupted");
          return outcomeOf(name, await handle.done, feed);
        },
      });
    } finally {
      active = undefined;
    }
  }

  return {
    active: () => active,
    async resumable() {
      const { runs: all } = await runs.list(listedRuns);
      return all
        .filter((row) => row.cwd === cwd && row.workflow !== chatWorkflow && isResumable(row.status))
        .map(({ id, workflow, prompt, status, reason, updatedAt }) => ({
          id,
          workflow,
          prompt,
          reason: reason ?? status,
          updatedAt,
        }));
    },
    start(call, line) {
      const { workflow, prompt, options, run: values } = call;
      return run(workflow, line, "Started", async (feed, frontEnd) => {
        const verify = optionList(values, "verify");
        const prepared = await runs.prepare({ ...chosen(values), workflow, prompt, options: given(options), verify });
        if (!(await mayRunBeside(prepared, feed))) return undefined;
        const earlierWork = await chooseEarlier(prepared, feed);
        const { nodeDescriptions } = prepared.request.definition;
        return runs.start(prepared, { ...frontEnd(nodeDescriptions), earlierWork, isConcurrent: true });
      });
    },
    async resume(id, line) {
      const page = await runs.find({ run: id });
      return run(page.view.workflow, line, "Resumed", async (feed, frontEnd) => {
        const prepared = await runs.prepareResume({ run: page.view.id });
        if (!(await mayRunBeside(prepared, feed))) return undefined;
        return runs.resume(prepared, {
          ...frontEnd(prepared.request.definition.nodeDescriptions),
          isConcurrent: true,
        });
      });
    },
  };
}

/** Without options that were left out: those have defaults. */
function given(options: WorkflowCall["options"]): WorkflowCall["options"] {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

type Described = Readonly<Record<string, string>>;

function fallbacks(own: RunChoices, asked: RunChoices): RunChoices {
  return {
    agent: own.agent,
    script: asked.script ?? own.script,
    model: asked.model ?? own.model,
    isTrusted: asked.isTrusted === true || own.isTrusted === true,
  };
}

/** Another run works in the same folder: the user chooses. */
async function mayRunBeside({ live }: Pick<PreparedStart, "live">, feed: WorkFeed): Promise<boolean> {
  const [first] = live;
  if (first === undefined) return true;
  const both = "Run both";
  const reply = await feed.ask({
    id: `beside-${first.id}`,
    items: [
      {
        text: `${titleOf(first.workflow)} session ${first.id.slice(0, 8)} works in this folder right now. Both would change the same files.`,
        options: [{ label: both }, { label: "Do not start" }],
        isMultiple: false,
        isFreeText: false,
      },
    ],
  });
  return reply.type === "answered" && reply.answers[0]?.[0] === both;
}

/** Some of the tasks were completed by earlier runs: the user chooses. */
async function chooseEarlier(
  { tasks, earlier }: Awaited<ReturnType<AppRuns["prepare"]>>,
  feed: WorkFeed,
): Promise<"leave-out" | "redo" | undefined> {
  if (tasks === undefined || earlier === undefined) return undefined;
  if (tasks.earlierWork !== "ask") return tasks.earlierWork === "redo" ? "redo" : "leave-out";
  const leaveOut = "Leave them out";
  const reply = await feed.ask({
    id: `earlier-${earlier.run}`,
    items: [
      {
        text: "Earlier runs completed some of these tasks.",
        options: [{ label: leaveOut }, { label: "Do them again" }],
        isMultiple: false,
        isFreeText: false,
      },
    ],
  });
  return reply.type === "answered" && reply.answers[0]?.[0] !== leaveOut ? "redo" : "leave-out";
}

type Lane = Extract<ChatBlock, { readonly kind: "subagent" }>;

interface Shown {
  readonly name: string;
  readonly verb: "Started" | "Resumed";
  readonly words: Described;
  /** The texts of the questions that were asked in the conversation. */
  readonly asked: ReadonlyMap<string, string>;
}

/** A message for each described node, and a line for each node that works: what its agent does at the moment. */
function showProgress(
  { name, verb, words, asked }: Shown,
  feed: WorkFeed,
  now: () => number,
): Pick<RunFrontEnd, "onEvent" | "onProgress"> {
  let last: string | undefined;
  const working = new Map<string, Lane>();
  // In the order of their tasks, not of their starts. A node whose workers have lines needs none of its own.
  const show = (): void => {
    const lanes = [...working.values()].sort((a, b) => a.id.localeCompare(b.id, "en", { numeric: true }));
    feed.show(lanes.filter(({ id }) => !lanes.some((other) => other.id.startsWith(`${id} `))));
  };

  const lane = (id: string, name: string, task: string): Lane => ({
    kind: "subagent",
    id,
    name,
    task,
    state: "running",
    text: "",
    tools: 0,
    isBackground: false,
    startedAt: now(),
  });

  function onStart(node: string, key: string): void {
    working.set(key, lane(key, node, words[node] ?? ""));
    show();
    const text = words[node];
    if (node === last || text === undefined) return;
    last = node;
    void feed.say(`**Workflow Progress:** ${text}`);
  }

  /** Its workers have ended with it. */
  function onEnd(key: string): void {
    for (const id of [...working.keys()]) if (id === key || id.startsWith(`${key} `)) working.delete(id);
    show();
  }

  /** Workers of one node have a line each, by their task. */
  function onProgress(note: ProgressNote): void {
    if (note.from !== "agent" || note.key === undefined) return;
    const { data, key, node = "", task } = note;
    const id = task === undefined ? key : `${key} ${task}`;
    if (isTerminal(data)) {
      if (task !== undefined && working.delete(id)) show();
      return;
    }
    if (data.type !== "tool.started") return;
    const known =
      working.get(id) ?? lane(id, task === undefined || task === node ? node : `${node} ${task}`, words[node] ?? "");
    working.set(id, { ...known, text: `${data.name} ${toolTitle(data.input)}`.trim(), tools: known.tools + 1 });
    show();
  }

  return {
    onEvent(run, event) {
      switch (event.type) {
        case "run.started":
          return void feed.say(`${verb} ${titleOf(name)} session: ${run}`);
        case "node.started":
          return onStart(event.node, event.key);
        case "node.finished":
          return onEnd(event.key);
        case "question.answered": {
          // Also what was answered in mission control, or by `atomic answer`.
          const text = asked.get(event.question);
          return text === undefined ? undefined : void feed.answered(event.question, text, answerText(event.answer));
        }
        default:
          return undefined;
      }
    },
    onProgress: (_, note) => onProgress(note),
  };
}

/**
 * A question of the workflow, asked in the chat. Declined: it stays open, and the run pauses when nothing else is
 * left.
 */
async function ask(question: OpenQuestion, feed: WorkFeed): Promise<Json | undefined> {
  const { options = [], multiSelect = false } = question;
  const asked: AgentQuestion = {
    id: question.id,
    items: [
      {
        text: question.text,
        header: question.header,
        options: options.map((option) => (typeof option === "string" ? { label: option } : option)),
        isMultiple: multiSelect,
        isFreeText: options.length === 0 || question.freeText === true,
      },
    ],
  };
  return valueOf(await feed.ask(asked), multiSelect);
}

function answerText(answer: Json): string {
  if (Array.isArray(answer)) return answer.map(answerText).join(", ");
  return typeof answer === "string" ? answer : JSON.stringify(answer);
}

function valueOf(reply: QuestionReply, isList: boolean): Json | undefined {
  if (reply.type === "declined") return undefined;
  const values = reply.answers[0] ?? [];
  return isList ? [...values] : values[0];
}

async function outcomeOf(
  name: string,
  result: RunResult,
  feed: WorkFeed,
): Promise<{ readonly outcome: TurnOutcome; readonly message?: string | undefined }> {
  const title = titleOf(name);
  switch (result.status) {
    case "completed": {
      const outputs = result.state["outputs"];
      const texts = typeof outputs === "object" && outputs !== null ? Object.values(outputs) : [];
      const answer = texts.findLast((each): each is string => typeof each === "string" && each.trim() !== "");
      if (result.report === undefined && answer !== undefined) await feed.say(answer);
      await feed.say(`**${name}** workflow completed successfully.`);
      return { outcome: "completed" };
    }
    case "paused":
      return {
        outcome: "interrupted",
        message: `Paused ${title} session: ${result.run}\nResume with: /${name} --resume ${result.run}`,
      };
    case "cancelled":
      return { outcome: "interrupted", message: "Workflow cancelled" };
    case "failed":
      return { outcome: "failed", message: result.message ?? `The ${name} workflow failed.` };
  }
}
