// `atomic test FILE --script SCRIPT`

import { AtomicError } from "../../lib/errors.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { defineCommand } from "../command.ts";
import { summaries } from "../summaries.ts";

export const testCommand = defineCommand({
  name: "test",
  summary: summaries.test,
  details:
    "Each run works in a temporary copy of the project's files (without what git ignores); your folder stays as it is. The result after a crash and a resume must equal the result without one. `atomic test FILE --help` shows what else can be given.",
  arguments: [
    { name: "FILE", description: "the workflow's file; it is run" },
    { name: "PROMPT", description: "what to do, and options", isOptional: true, isList: true },
  ],
  passesThrough: true,
  hasOwnHelp: true,
  examples: [{ line: "atomic test .atomic/workflows/review.ts --script review.json", text: "with the embedded agent" }],
  async run(call, context) {
    const [file = "", ...words] = call.arguments;
    const { testHelp, testRun } = await import("../runs/test-run.ts");
    if (file === "--help" || file === "-h") return context.io.print(testHelp());
    if (file.startsWith("-")) {
      throw new AtomicError("USAGE", `Name the file first, then the options: atomic test FILE ${safeLine(file, 60)} …`);
    }
    return testRun(file, words, context);
  },
});
