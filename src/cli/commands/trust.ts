// `atomic trust`: shows the code that waits for consent, and what changed in it, before it asks.

import type { TrustOverview } from "../../app/trust.ts";
import { AtomicError } from "../../lib/errors.ts";
import { localTime } from "../../lib/local-time.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { defineCommand, jsonOption, type CliContext } from "../command.ts";
import { summaries } from "../summaries.ts";
import { isYes, trustQuestionText } from "../print/trust-question.ts";
import { table } from "../table.ts";
import { safeJson } from "../../lib/safe-json.ts";

export const trustCommand = defineCommand({
  name: "trust",
  summary: summaries.trust,
  details:
    "Shows every file that would run, or what changed since it was trusted, and asks. The answer counts for exactly this content: a change asks again. Your own ~/.atomic needs no trust.",
  arguments: [
    {
      name: "PATH",
      description: "a workflow or tool file, a task list with commands, or the folder of a project; default: here",
      isOptional: true,
    },
  ],
  options: {
    yes: { type: "boolean", short: "y", description: "trust without asking; what is trusted is still shown" },
    list: { type: "boolean", description: "list what is trusted, in every project" },
    forget: { type: "boolean", description: "take trust back from PATH and everything below it" },
    json: jsonOption,
  },
  async run({ options, arguments: [path] }, context) {
    const { io, app } = context;
    const { trust } = app;
    if (options.list || options.forget) {
      const subjects = options.list ? await trust.trusted() : await trust.forget(path);
      if (options.json) return io.print(safeJson(options.list ? { trusted: subjects } : { forgotten: subjects }, 2));
      if (subjects.length === 0)
        return io.print(options.list ? "Nothing is trusted yet." : "There was nothing to forget.");
      const rows = subjects.map(({ kind, files, trustedAt, path: at }) => [
        kind,
        String(files),
        localTime(Date.parse(trustedAt)),
        at,
      ]);
      const list = table(["KIND", "FILES", "SINCE", "PATH"], rows, undefined);
      return io.print(options.list ? list : `Forgotten:\n\n${list}`);
    }
    const overview = await trust.overview(path);
    if (options.json && !options.yes) return io.print(safeJson(overview, 2));
    return decide(overview, options, context);
  },
});

async function decide(
  { questions, trusted, problems, storeProblem }: TrustOverview,
  options: { readonly yes: boolean; readonly json: boolean },
  { io }: CliContext,
): Promise<number> {
  if (storeProblem !== undefined) throw new AtomicError("TRUST_STORE_INVALID", storeProblem);
  for (const { name, message } of problems) io.warn(`${safeLine(name)}: ${message}`);
  if (!options.json && questions.length === 0) {
    io.print(
      trusted.length === 0 ? "There is nothing to trust here." : `Everything is trusted: ${trusted.join(", ")}.`,
    );
  }
  const accepted: string[] = [];
  const refused: string[] = [];
  // The user must have seen what was printed.
  const canAsk = io.isInteractive && io.columns !== undefined;
  for (const question of questions) {
    if (!options.json) io.print(trustQuestionText(question));
    const isAccepted = options.yes || (canAsk && isYes(io.ask(`Trust ${question.name}? [y/N]`)));
    (isAccepted ? accepted : refused).push(question.name);
    if (isAccepted) await question.accept();
  }
  if (options.json) io.print(safeJson({ accepted, refused, problems }, 2));
  else if (accepted.length > 0) io.print(`Trusted: ${accepted.join(", ")}.`);
  if (refused.length > 0) {
    const way = canAsk ? "" : " There is no terminal to ask at: add --yes once you have looked at them.";
    io.warn(`Not trusted: ${refused.join(", ")}.${way}`);
  }
  return refused.length > 0 || problems.length > 0 ? 1 : 0;
}
