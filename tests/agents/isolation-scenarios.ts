// What the model does in a worker's separate folder. `@@hot:N`: puts a line where others put theirs, and resolves
// the conflict that follows. `@@count:N`: adds a file and records how many there are, which is wrong once another
// worker's has landed.

import type { ModelAnswer, ScenarioContext, Scenarios } from "../../src/testing/model-server/scenario.ts";
import type { AgentVocabulary } from "../../src/testing/model-server/vocabulary.ts";
import { promptOf } from "./ralph-scenarios.ts";

export function isolationScenarios(words: AgentVocabulary): Scenarios {
  const run = (command: string): readonly ModelAnswer[] => [
    { tools: [words.shell(command)] },
    { text: "The task is done." },
  ];
  return {
    hot: ({ folder, request }: ScenarioContext) =>
      promptOf(request).includes("with conflict markers")
        ? run("sed -i '/^<<<<<<< /d;/^=======$/d;/^>>>>>>> /d' shared.txt")
        : run(`grep -q '^line ${folder}$' shared.txt || sed -i 's/^HOT$/HOT\\nline ${folder}/' shared.txt`),
    count: ({ folder }: ScenarioContext) =>
      run(`mkdir -p parts && echo ${folder} > parts/${folder} && ls parts | wc -l > count.txt`),
  };
}
