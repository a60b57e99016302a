// `atomic doctor`: is everything there that a run needs?

import type { DoctorCheck } from "../../app/doctor.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { defineCommand, jsonOption } from "../command.ts";
import { summaries } from "../summaries.ts";
import { printData } from "../print-data.ts";
import { wrapLines } from "../print/wrap-lines.ts";

export const doctorCommand = defineCommand({
  name: "doctor",
  summary: summaries.doctor,
  details:
    "Asks the agents' programs for their version and login. Runs nothing of this folder, and sends nothing to a model. Exit code 1 when something must be fixed first.",
  options: { json: jsonOption },
  async run({ options }, { io, app }) {
    // The agents' packages are loaded, and may print.
    io.claimOutput();
    const report = await app.agents.check();
    const data = options.json ? { ...report, backends: await app.agents.list() } : report;
    printData(io, options.json, data, () => report.checks.map((check) => checkText(check, io.columns)).join("\n"));
    const failed = report.checks.filter((check) => check.status === "error");
    if (failed.length === 0) return 0;
    io.warn(`Fix these first: ${failed.map((check) => check.name).join(", ")}.`);
    return 1;
  },
});

const marks: Readonly<Record<DoctorCheck["status"], string>> = {
  ok: "ok      ",
  warning: "warning ",
  error: "error   ",
};

const indent = " ".repeat(20);

function checkText({ name, status, text, notes }: DoctorCheck, columns = Number.POSITIVE_INFINITY): string {
  const head = wrapLines(`${indent}${safeLine(text, 300)}`, columns, 0).slice(indent.length);
  const lines = notes.map((note) => wrapLines(`${indent}${safeLine(note, 400)}`, columns, 0));
  return [`${marks[status]}${name.padEnd(12)}${head}`, ...lines].join("\n");
}
