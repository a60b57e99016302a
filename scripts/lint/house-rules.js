// The project's lint plugin: rules that no published plugin has.
// Plain JavaScript, because the linter loads it with Node 20.

import { importDirection } from "./import-direction.js";
import { noCastsInFolds } from "./no-casts-in-folds.js";
import { noDoubleAssertion } from "./no-double-assertion.js";

export default {
  meta: { name: "house" },
  rules: {
    "import-direction": importDirection,
    "no-casts-in-folds": noCastsInFolds,
    "no-double-assertion": noDoubleAssertion,
  },
};
