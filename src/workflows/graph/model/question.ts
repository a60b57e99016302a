// A question to a user: what is asked, and the answer when no user is present.

import type { Json } from "../../../lib/json.ts";

export interface Question {
  /** How answers name it. Default: the key of the node's visit that asks, so it is stable over resumes. */
  readonly id?: string | undefined;
  readonly text: string;
  readonly header?: string | undefined;
  readonly options?: readonly QuestionOption[] | undefined;
  /** More than one option may be chosen; the answer is then a list. */
  readonly multiSelect?: boolean | undefined;
  /** Free text is accepted as well as the options. Always true if there are no options. */
  readonly freeText?: boolean | undefined;
  /**
   * The answer when the question is declined, alone or with all questions of the run. Without a default the run waits.
   */
  readonly default?: Json | undefined;
}

export type QuestionOption = string | { readonly label: string; readonly description?: string | undefined };

/** A question that is open: the run waits, or will wait, for its answer. */
export interface OpenQuestion extends Question {
  readonly id: string;
  /** The id its author gave it, where another question had that one already. */
  readonly name?: string | undefined;
  /** The node that asks, and its key. */
  readonly node: string;
  readonly key: string;
}
