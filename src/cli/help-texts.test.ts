import { expect, test } from "bun:test";
import { buildProgram } from "./build-program.ts";
import { loadCommands } from "./command-tree.ts";
import { helpFooter, programDescription, programHelp } from "./help-texts.ts";
import { summaries } from "./summaries.ts";

test.each([undefined, 30, 60, 72, 80, 100, 200])(
  "`atomic --help` is laid out like any other help (%p columns)",
  async (columns) => {
    let printed = "";
    const program = buildProgram(await loadCommands(undefined), {
      name: "atomic",
      version: "0.0.0",
      description: programDescription,
      footer: helpFooter(columns),
      print: (text) => (printed += `${text}\n`),
      columns,
      invoke: async () => undefined,
    });
    program.outputHelp();

    expect(`${programHelp(columns)}\n`).toBe(printed);
  },
);

test("every command that is listed can be loaded, in the order of the list", async () => {
  const commands = await loadCommands(undefined);

  expect(commands.map(({ name }) => name)).toEqual(Object.keys(summaries));
});
