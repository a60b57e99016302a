// A run as it is shown by itself: what its events add up to, who owns it, and its folder. A question whose answer waits
// for the run to be resumed is not open any more, although no event says so yet.

import type { RunInfo } from "../journal/port.ts";
import { isForQuestion } from "../workflows/graph/model/question-place.ts";
import type { RunStore } from "../workflows/sessions/run-store.ts";
import type { SessionFolder } from "../workflows/sessions/session-folder.ts";
import type { Json } from "../lib/json.ts";
import type { OpenQuestionView, SessionView } from "../workflows/sessions/session-view.ts";
import { readRun } from "../workflows/sessions/view-snapshot.ts";
import { hasNoOwner, runStatus, type RunStatus } from "./run-status.ts";
import { notStarted } from "./start-facts.ts";

export interface RunPage {
  readonly view: SessionView;
  /** Given while no process had the run: it takes them when it is resumed. */
  readonly savedAnswers: readonly SavedAnswer[];
  readonly info: RunInfo;
  readonly status: RunStatus;
  readonly folder: SessionFolder;
}

export interface SavedAnswer {
  readonly question: OpenQuestionView;
  readonly answer: Json;
}

/** The info comes first: a run that ends in between then shows as ended, never as interrupted. */
export async function readPage(store: RunStore, folder: SessionFolder, info: RunInfo): Promise<RunPage> {
  if (info.lastSeq === 0 && hasNoOwner(info)) throw notStarted(folder.id);
  const { view } = await readRun(store, folder.id);
  const savedAnswers = hasNoOwner(info) ? await readSavedAnswers(store, view) : [];
  const questions = savedAnswers.reduce((open, { question }) => open.delete(question.id), view.questions);
  const now = savedAnswers.length === 0 ? view : { ...view, questions };
  return { view: now, savedAnswers, info, folder, status: runStatus(view, info.owner) };
}

async function readSavedAnswers(store: RunStore, { id, questions }: SessionView): Promise<readonly SavedAnswer[]> {
  if (questions.size === 0) return [];
  const saved = new Map<string, SavedAnswer>();
  for (const request of await store.pending(id)) {
    if (request.type !== "answer") continue;
    const question = questions.get(request.question);
    if (question !== undefined && isForQuestion(request, question))
      saved.set(question.id, { question, answer: request.value });
  }
  return [...saved.values()];
}
