// Annotations: a reducer must fit the value it folds, and the state's type follows from the annotations alone.

import type { Annotation, BaseState, Reducer, StateOf, WorkflowState } from "atomic/workflows/graph";
import { annotation, AtomicStateAnnotation, createNode, graph, Reducers } from "atomic/workflows/graph";
import { isSame } from "./expect-type.ts";

export function reducersOfTheWrongType(): void {
  // @ts-expect-error a number can't be concatenated
  annotation<number>(0, Reducers.concat);
  // @ts-expect-error lists can't be summed
  annotation<string[]>([], Reducers.sum);
  // @ts-expect-error truth has no maximum
  annotation(false, Reducers.max);
  // @ts-expect-error numbers are not true or false
  annotation(0, Reducers.or);
  // @ts-expect-error items without an id can't be merged by it
  annotation<{ title: string }[]>([], Reducers.mergeById);
  // @ts-expect-error text can't be merged key by key
  annotation<string>("", Reducers.merge);
  // @ts-expect-error an author's own reducer of another type
  annotation("", (current: number, update: number) => current + update);
  // @ts-expect-error a default of another type
  annotation<number>("0", Reducers.sum);
  // @ts-expect-error a default made by a function of another type
  annotation<string[]>(() => [1], Reducers.concat);
}

interface Settings {
  verbose?: boolean;
}

export function reducersThatFit(): void {
  isSame<ReturnType<typeof annotation<number>>, Annotation<number>>(true);
  annotation(0, Reducers.sum);
  annotation(0, Reducers.max);
  annotation(0, Reducers.min);
  annotation(false, Reducers.or);
  annotation(true, Reducers.and);
  annotation<string[]>([], Reducers.concat);
  annotation<{ id: string; done: boolean }[]>([], Reducers.mergeById);
  annotation<Settings>({}, Reducers.merge);
  annotation<string | null>(null, Reducers.ifDefined);
  annotation<string>("", Reducers.replace);
  annotation<string>("");
  annotation<string[]>(() => [], Reducers.concat);
  const longest: Reducer<string> = (current, update) => (update.length > current.length ? update : current);
  annotation("", longest);
}

const annotations = {
  ...AtomicStateAnnotation,
  count: annotation(0, Reducers.sum),
  items: annotation<string[]>([], Reducers.concat),
  phase: annotation<"plan" | "work">("plan"),
  settings: annotation<Settings>({}, Reducers.merge),
};

export async function stateOfAnnotations(): Promise<void> {
  type State = StateOf<typeof annotations>;
  isSame<State["count"], number>(true);
  isSame<State["items"], string[]>(true);
  isSame<State["phase"], "plan" | "work">(true);
  isSame<State["settings"], Settings>(true);
  isSame<State["executionId"], string>(true);
  isSame<WorkflowState, BaseState>(true);

  const final = await graph(annotations)
    .start(
      createNode({
        id: "a",
        execute: ({ state }) => {
          isSame<typeof state.phase, "plan" | "work">(true);
          return { stateUpdate: { count: state.count + 1, phase: "work" } };
        },
      }),
    )
    .if((state) => state.items.length > 1)
    .endif()
    .compile()
    .execute({ count: 2 });
  isSame<typeof final.items, string[]>(true);
  // @ts-expect-error a key that no annotation names
  void final.itmes;
}
