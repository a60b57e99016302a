// `atomic sessions [list|show|logs|transcript|verify|path|rm|prune] [ID]`: runs, looked at from outside.

import { defineCommand, defineGroup, jsonOption } from "../command.ts";
import { findPage, idArgument } from "./find-page.ts";
import { pruneCommand } from "./prune.ts";
import { transcriptCommand } from "./transcript.ts";
import { summaries } from "../summaries.ts";
import { safeJson } from "../../lib/safe-json.ts";
import { safeLine } from "../../lib/safe-text.ts";

const shownByDefault = 50;

const list = defineCommand({
  name: "list",
  summary: "List runs, the newest first",
  options: {
    json: jsonOption,
    all: { type: "boolean", description: `All runs, not only the newest ${shownByDefault}` },
  },
  async run({ options }, { io, app }) {
    const { runs } = app;
    const found = await runs.list(options.all ? undefined : shownByDefault);
    if (options.json) return io.print(safeJson(found.runs));
    const { sessionList } = await import("../print/session-list.ts");
    io.print(sessionList(found, app.now(), io.columns));
  },
});

const show = defineCommand({
  name: "show",
  summary: "Show the state of a run: tasks, phase, cost, what its agents do now, what it waits for, its last events",
  arguments: [idArgument],
  options: { json: jsonOption },
  async run({ options, arguments: [id] }, { io, app }) {
    const page = await findPage(app, id);
    const { sessionFacts, sessionPage } = await import("../print/session-page.ts");
    if (options.json) return io.print(safeJson(sessionFacts(page)));
    const failure = page.status === "failed" ? await app.runs.endingFailure(page.view.id) : undefined;
    io.print(sessionPage(page, app.now(), failure));
  },
});

const logs = defineCommand({
  name: "logs",
  summary: "Print the events of a run",
  arguments: [idArgument],
  options: {
    json: { type: "boolean", description: "Print the events as they are stored, one per line" },
    follow: { type: "boolean", short: "f", description: "Keep printing until the run ends or pauses" },
  },
  async run({ options, arguments: [id] }, { io, app }) {
    const { view } = await findPage(app, id);
    const { eventLine } = await import("../print/event-line.ts");
    const { storedOf } = await import("../../events/run-event.ts");
    const events = options.follow
      ? app.runs.follow(view.id, { signal: new AbortController().signal })
      : app.runs.events(view.id);
    for await (const event of events) {
      io.print(options.json ? safeJson({ runId: view.id, ...storedOf(event) }) : eventLine(storedOf(event)));
      if (io.isOutputClosed) return;
    }
  },
});

/** `atomic logs` */
export const logsCommand = { ...logs, summary: summaries.logs };

const path = defineCommand({
  name: "path",
  summary: "Print the folder of a run",
  arguments: [idArgument],
  async run({ arguments: [id] }, { io, app }) {
    const { folder } = await findPage(app, id);
    io.print(folder.dir);
  },
});

const verify = defineCommand({
  name: "verify",
  summary: "Run the checks of a run again, each on what it was run on",
  details:
    "For a run whose workers had separate folders: checks out the git tree that each check passed on into a temporary folder, runs the command there, and says whether it still passes. Exit code 1 if one does not.",
  arguments: [idArgument],
  options: { json: jsonOption },
  async run({ options, arguments: [id] }, { io, app }) {
    const { view } = await findPage(app, id);
    const { evidenceText, verifiedSummary } = await import("../print/evidence-text.ts");
    const results: string[] = [];
    for await (const each of app.runs.verify(view.id, new AbortController().signal)) {
      results.push(each.result);
      io.print(options.json ? safeJson(each) : evidenceText(each));
    }
    if (!options.json) io.print(verifiedSummary(results));
    return results.every((result) => result === "holds") ? 0 : 1;
  },
});

const rm = defineCommand({
  name: "rm",
  summary: "Remove runs and all that they recorded",
  details:
    "Also removes its work trees, and what it kept in the repository (git for-each-ref refs/atomic): your uncommitted work, and the commits of its tasks. A branch that it made stays. A run that is running is not removed; pause it first.",
  arguments: [{ name: "ID", description: "the runs: their ids, unique prefixes of them, or @last", isList: true }],
  async run(call, { io, app }) {
    const { runs } = app;
    // All of them first: once one is removed, @last is another run, and so may the only one of a prefix be.
    const ids = new Set<string>();
    for (const reference of call.arguments) ids.add(await runs.idOf(reference));
    for (const id of ids) {
      const { problem } = await runs.remove(id);
      io.print(`Removed ${id}`);
      if (problem !== undefined) io.warn(`What it kept in the repository is still there: ${safeLine(problem, 400)}`);
    }
  },
});

export const sessionsCommand = defineGroup({
  name: "sessions",
  summary: summaries.sessions,
  subcommands: [list, show, logs, transcriptCommand, path, verify, rm, pruneCommand],
  defaultSubcommand: "list",
});
