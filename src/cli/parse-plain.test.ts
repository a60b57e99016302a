import { describe, expect, test } from "bun:test";
import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { AtomicError } from "../lib/errors.ts";
import type { Call, CliCommand } from "./command.ts";
import { loadCommands } from "./command-tree.ts";
import { parsePlain } from "./parse-plain.ts";
import { runCommander } from "./run-commander.ts";

const tree = await loadCommands(undefined);

/** What commander makes of the words: a call, or undefined for help and for words that make no sense. */
async function byCommander(words: readonly string[]): Promise<{ command: string; call: Call<never> } | undefined> {
  let made: { command: string; call: Call<never> } | undefined;
  const invoke = async (command: CliCommand, call: Call<never>): Promise<void> => {
    made = { command: command.name, call };
  };
  try {
    await runCommander(tree, words, { print: () => undefined, columns: 80, invoke });
  } catch (thrown) {
    if (!AtomicError.is(thrown, "USAGE")) throw thrown;
  }
  return made;
}

const names = new Set(
  tree.flatMap((command) => [command.name, ...(command.subcommands ?? []).map(({ name }) => name)]),
);
const commands = tree.flatMap((command) => [command, ...(command.subcommands ?? [])]);
const flags = commands.flatMap(({ options = {} }) =>
  Object.entries(options).flatMap(([name, { short }]) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]),
);
const word = constantFrom(...names, ...flags, "x", "two words", "7", "-1", "none", "", "--", "-h", "--help", "help");

test("a plain command line means the same to commander", async () => {
  let plain = 0;
  await assert(
    asyncProperty(constantFrom(...names), array(word, { maxLength: 4 }), async (first, more) => {
      const found = parsePlain(tree, [first, ...more]);
      if (found === undefined) return;
      plain++;
      expect({ command: found.command.name, call: found.call }).toEqual((await byCommander([first, ...more]))!);
    }),
    { numRuns: 2000 },
  );
  expect(plain).toBeGreaterThan(100);
});

describe("read without commander:", () => {
  for (const line of ["sessions", "sessions --json", "sessions list --all", "sessions show ID", "agents", "doctor"]) {
    test(line, () => {
      expect(parsePlain(tree, line.split(" "))).toBeDefined();
    });
  }
});

describe("left to commander:", () => {
  const lines = ["sessions --help", "sessions -f", "sessions lst", "agents one two", "sessions rm", "run x", "nothing"];
  for (const line of lines) {
    test(line, () => {
      expect(parsePlain(tree, line.split(" "))).toBeUndefined();
    });
  }
});
