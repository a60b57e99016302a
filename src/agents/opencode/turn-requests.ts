// What OpenCode asks during a turn. Permissions are given, each time: tools run without asking, and what the user's
// own rules deny is never asked. Questions go to the user.

import type { TurnSink } from "../backend-session.ts";
import type { QuestionItem } from "../questions.ts";
import type { FolderApi } from "./folder-api.ts";
import type { OpencodeQuestion, Permission } from "./wire-requests.ts";

export interface TurnRequests {
  permission(permission: Permission): void;
  question(question: OpencodeQuestion, agentId: string | undefined): void;
}

export function createTurnRequests(options: {
  readonly api: Pick<FolderApi, "allow" | "answerQuestion" | "rejectQuestion">;
  readonly sink: TurnSink;
}): TurnRequests {
  const { api, sink } = options;
  const taken = new Set<string>();

  /** True the first time: a request arrives as an event, and again when the state is read. */
  function take(id: string): boolean {
    if (taken.has(id)) return false;
    taken.add(id);
    return true;
  }

  async function ask(question: OpencodeQuestion, agentId: string | undefined): Promise<void> {
    const reply = await sink.ask({ agentId, items: question.questions.map(itemOf) });
    if (reply.type === "answered") return api.answerQuestion(question.id, reply.answers);
    // An interrupted turn takes its question along; OpenCode would count a rejection as another news of it.
    if (reply.reason !== "interrupted") return api.rejectQuestion(question.id);
  }

  return {
    permission({ id }) {
      if (take(id)) api.allow(id).catch(report("a permission"));
    },
    question(question, agentId) {
      if (take(question.id)) ask(question, agentId).catch(report("an answer"));
    },
  };

  function report(what: string): (error: Error) => void {
    return ({ message }) =>
      sink.emit({ type: "notice.raised", level: "warning", message: `OpenCode did not take ${what}: ${message}` });
  }
}

function itemOf(item: OpencodeQuestion["questions"][number]): QuestionItem {
  return {
    text: item.question,
    ...(item.header !== undefined && { header: item.header }),
    options: item.options.map(({ label, description }) => ({
      label,
      ...(description !== undefined && { description }),
    })),
    isMultiple: item.isMultiple,
    isFreeText: item.isCustom || item.options.length === 0,
  };
}
