// `atomic config list`: every setting that has a value.

import type { ListedSetting, SettingProblem } from "../../../app/settings.ts";
import { safeLine } from "../../../lib/safe-text.ts";
import { defineCommand, jsonOption } from "../../command.ts";
import { pathsFrom } from "../../listing-text.ts";
import { printData } from "../../print-data.ts";
import { table } from "../../table.ts";

export const configListCommand = defineCommand({
  name: "list",
  summary: "List every setting, its value and where it comes from",
  options: { json: jsonOption },
  async run({ options }, { io, app }) {
    const { settings, problems } = await app.settings.list();
    const showPath = pathsFrom(app.folders);
    printData(io, options.json, { settings, problems }, () => {
      const rows = settings.map((each) => [each.key, valueText(each), fromText(each, showPath)]);
      return table(["SETTING", "VALUE", "FROM"], rows, undefined) + problemLines(problems, showPath);
    });
  },
});

function valueText({ value }: ListedSetting): string {
  return value === undefined ? "–" : String(value);
}

function fromText({ origin, at }: ListedSetting, showPath: (path: string) => string): string {
  if (origin === undefined) return "not set";
  return at === undefined ? "default" : showPath(at);
}

function problemLines(problems: readonly SettingProblem[], showPath: (path: string) => string): string {
  if (problems.length === 0) return "";
  const lines = problems.map(
    ({ severity, at, message }) => `  ${severity}: ${showPath(at)}: ${safeLine(message, 400)}`,
  );
  return `\n\nProblems:\n${lines.join("\n")}`;
}
