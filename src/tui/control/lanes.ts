// The lanes of mission control: one per worker, from the view of a moment and what agents did until then. Pure.

import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { liveTurns, type TurnView } from "../../workflows/sessions/turn-views.ts";
import type { OpenQuestionView } from "../../workflows/sessions/session-view.ts";
import { type Activity, changedLines, currentTool, toolText, type TurnActivity } from "./activity.ts";
import type { RunMoment } from "./run-facts.ts";

export type LaneState = "working" | "asks" | "waits" | "failed";

export interface SubLane {
  readonly name: string;
  readonly doing: string;
  readonly ms: number;
  readonly depth: number;
}

export interface Lane {
  /** Stays the same while the lane does. */
  readonly id: string;
  readonly state: LaneState;
  readonly name: string;
  readonly doing: string;
  readonly ms: number;
  readonly costUsd: number;
  readonly added: number;
  readonly removed: number;
  readonly ticks: readonly number[];
  readonly agents: readonly SubLane[];
  /** The turn to look into. */
  readonly turn: string | undefined;
  readonly task: string | undefined;
  readonly key: string | undefined;
}

export function lanesOf(moment: RunMoment, activity: Activity, now: number): readonly Lane[] {
  const { view } = moment;
  const turns = liveTurns(view);
  const isOver = view.status !== "running";
  const ofTurns = turns.map((turn) => turnLane(moment, activity, turn, now));
  const busy = new Set(turns.map(({ task }) => task));
  const ofTasks = [...view.tasks.values()]
    .filter(({ id, status }) => !busy.has(id) && (status === "failed" || (status === "in_progress" && !isOver)))
    .map((task) => taskLane(moment, activity, task, now));
  const taken = new Set([...turns.map(({ key }) => key), ...(ofTasks.length > 0 ? workKeys(moment) : [])]);
  const ofVisits = [...view.visits.values()]
    .filter(({ key, state }) => !taken.has(key) && (state === "running" || state === "waiting" || state === "retrying"))
    .map(({ key, node, since }) => visitLane(moment, key, node, since, now));
  const order = new Map([...view.tasks.keys()].map((id, i) => [id, i]));
  const place = ({ task }: Lane): number => (task === undefined ? -1 : (order.get(task) ?? order.size));
  return [...ofTurns, ...ofTasks, ...ofVisits].toSorted((a, b) => place(a) - place(b));
}

/** Visits that work on tasks: their lanes are those of the tasks. */
function workKeys({ view }: RunMoment): readonly string[] {
  return [...view.turns.values()].flatMap(({ task, key }) => (task === undefined || key === undefined ? [] : [key]));
}

function turnLane(moment: RunMoment, activity: Activity, turn: TurnView, now: number): Lane {
  const { view } = moment;
  const did = activity.turns.get(turn.turn);
  const task = turn.task === undefined ? undefined : view.tasks.get(turn.task);
  const question = questionOf(moment, turn);
  const tool = did === undefined ? undefined : currentTool(did, "");
  const spent = turn.task === undefined ? 0 : (view.spentByTask.get(turn.task)?.costUsd ?? 0);
  return {
    id: turn.task === undefined ? `turn ${turn.turn}` : `task ${turn.task}`,
    state: question === undefined ? "working" : "asks",
    name: task === undefined ? (turn.task ?? turn.node ?? turn.agent) : taskLabel(task),
    doing: question === undefined ? (tool === undefined ? "thinking" : toolText(tool)) : "asks you",
    ms: Math.max(0, now - turn.startedAt),
    costUsd: spent + (turn.used.costUsd ?? 0),
    ...(did === undefined ? { added: 0, removed: 0 } : changedLines(did)),
    ticks: did?.ticks ?? [],
    agents: did === undefined ? [] : subLanes(did, now),
    turn: turn.turn,
    task: turn.task,
    key: turn.key,
  };
}

/** The part of a node that asked is in the question's id: `work#1?task 3 try 1:…`. */
function questionOf({ view }: RunMoment, { task, key }: TurnView): OpenQuestionView | undefined {
  if (view.questions.size === 0) return undefined;
  const asked = [...view.questions.values()].filter((each) => each.key === key);
  return task === undefined ? asked[0] : asked.find(({ id }) => id.includes(`?task ${task} try `));
}

function subLanes(did: TurnActivity, now: number): readonly SubLane[] {
  const depths = new Map<string, number>();
  return did.agents
    .map((each) => {
      const depth = each.parent === undefined ? 0 : (depths.get(each.parent) ?? 0) + 1;
      depths.set(each.id, depth);
      const tool = currentTool(did, each.id);
      return {
        isOver: each.isOver,
        lane: {
          name: each.name,
          doing: tool === undefined ? "thinking" : toolText(tool),
          ms: Math.max(0, now - each.startedAt),
          depth,
        },
      };
    })
    .filter(({ isOver }) => !isOver)
    .map(({ lane }) => lane);
}

/** A task that no turn works on at the moment: it is checked, waits for a limit, or has failed. */
function taskLane(moment: RunMoment, activity: Activity, task: WorkflowTask, now: number): Lane {
  const { view } = moment;
  const last = [...view.turns.values()].findLast((turn) => turn.task === task.id);
  const did = last === undefined ? undefined : activity.turns.get(last.turn);
  const question = [...view.questions.values()].find(({ id }) => id.includes(`?task ${task.id} try `));
  const isLimited = view.waitingUntil !== undefined && view.waitingUntil > now;
  const since = last === undefined ? now : last.startedAt + (last.durationMs ?? 0);
  const state = task.status === "failed" ? "failed" : question !== undefined ? "asks" : isLimited ? "waits" : "working";
  return {
    id: `task ${task.id}`,
    state,
    name: taskLabel(task),
    doing:
      state === "failed"
        ? (task.error ?? "failed")
        : state === "asks"
          ? "asks you"
          : state === "waits"
            ? `limit until ${clockTime(view.waitingUntil ?? now)}`
            : last === undefined
              ? "starting"
              : "checking",
    ms: state === "failed" ? 0 : Math.max(0, now - since),
    costUsd: view.spentByTask.get(task.id)?.costUsd ?? 0,
    ...(did === undefined ? { added: 0, removed: 0 } : changedLines(did)),
    ticks: did?.ticks ?? [],
    agents: [],
    turn: last?.turn,
    task: task.id,
    key: last?.key,
  };
}

function visitLane(moment: RunMoment, key: string, node: string, since: number, now: number): Lane {
  const { view, waits } = moment;
  const question = [...view.questions.values()].find((each) => each.key === key);
  const until = waits.get(key);
  const state = question !== undefined ? "asks" : until !== undefined ? "waits" : "working";
  return {
    id: `visit ${key}`,
    state,
    name: node,
    doing: question !== undefined ? "asks you" : until !== undefined ? `waits until ${clockTime(until)}` : "running",
    ms: Math.max(0, now - since),
    costUsd: 0,
    added: 0,
    removed: 0,
    ticks: [],
    agents: [],
    turn: undefined,
    task: undefined,
    key,
  };
}

export function taskLabel({ id, title }: Pick<WorkflowTask, "id" | "title">): string {
  return `${id} ${title}`.trim();
}

/** `14:20`, by the clock of the user. */
export function clockTime(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}
