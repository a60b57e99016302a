// A graph can be a node of another one, with its own state. `inputMapper` makes its first state,
// `outputMapper` says what comes back. It can be given by value, or by the name of a workflow, which is looked up when
// the node runs.

import { annotation, executeGraph, graph, Reducers, subgraphNode, toolNode } from "atomic/workflows/graph";

const translate = graph({ text: annotation(""), language: annotation("en") })
  .start(
    toolNode({
      id: "translate",
      execute: ({ text, language }) => (language === "de" ? text.replace("tea", "Tee") : text.replace("tea", "thé")),
      outputMapper: (text) => ({ text }),
    }),
  )
  .compile({ name: "translate" });

const annotations = { text: annotation("tea"), translations: annotation<string[]>([], Reducers.concat) };

const publish = graph(annotations)
  .start(
    subgraphNode({
      id: "german",
      subgraph: translate,
      inputMapper: (state) => ({ text: state.text, language: "de" }),
      outputMapper: (inner) => ({ translations: [inner.text] }),
    }),
  )
  .then(
    subgraphNode<{ text: string; translations: string[] }, { text: string; language: string }>({
      id: "french",
      subgraph: "translate",
      inputMapper: (state) => ({ text: state.text, language: "fr" }),
      outputMapper: (inner) => ({ translations: [inner.text] }),
    }),
  )
  .compile({ name: "publish" });

// The caller says which workflows exist.
const workflows = (name: string) => (name === "translate" ? translate : null);
const { state } = await executeGraph(publish, { runtime: { workflows } });
console.log(state.translations.join(", "));

// An unknown name and a cycle are errors that say so.
const nowhere = await executeGraph(publish, { runtime: { workflows: () => null } });
console.log(nowhere.error?.message);
const circle = graph()
  .start(subgraphNode({ id: "again", subgraph: "circle" }))
  .compile({ name: "circle" });
console.log((await executeGraph(circle, { runtime: { workflows: () => circle } })).error?.message);
