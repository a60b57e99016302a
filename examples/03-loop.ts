// A loop runs its body, then looks at `until`. `maxIterations` keeps it from running forever, and says so in the state.
//
// State with annotations: each key has a default, and a reducer that folds every update into what is there. The type
// of the state follows from them.

import { annotation, createNode, graph, Reducers } from "atomic/workflows/graph";

const annotations = {
  text: annotation("a tpyo and anohter tpyo"),
  fixes: annotation<string[]>([], Reducers.concat), // appends
  rounds: annotation(0, Reducers.sum), // adds
};

const dictionary: Record<string, string> = { tpyo: "typo", anohter: "another" };

/** Fixes the first word that is wrong: one per round. */
const fixOne = createNode<{ text: string; fixes: string[]; rounds: number }>({
  id: "fix-one",
  execute: ({ state }) => {
    const wrong = state.text.split(" ").find((word) => dictionary[word] !== undefined);
    if (wrong === undefined) return;
    const right = dictionary[wrong] ?? wrong;
    return { stateUpdate: { text: state.text.replace(wrong, right), fixes: [`${wrong} to ${right}`], rounds: 1 } };
  },
});

const build = (maxIterations: number) =>
  graph(annotations)
    .start(createNode({ id: "read", execute: () => {} }))
    .loop(fixOne, { until: (state) => !/tpyo|anohter/.test(state.text), maxIterations })
    .compile();

const good = await build(10).execute();
console.log(`${good.text} (${good.rounds} rounds: ${good.fixes.join(", ")})`);

const impatient = await build(2).execute();
console.log(`${impatient.text} (gave up: ${"maxIterationsReached" in impatient})`);
