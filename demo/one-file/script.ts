// What the embedded agent does in the demo of workers that meet: three of them add an entry at the same place of one file,
// and two choose the same letter. Alone each passes the check. Merged, the texts conflict, which whoever comes later
// resolves; and the check fails for the second of the two letters, who chooses another. No model is asked; the files, the
// merges and the checks are real.

const file = "commands.ts";
const place = "  // New commands go here.";

export const check = "bun check.ts";

/** What the project holds before. */
export const files: Readonly<Record<string, string>> = {
  [file]: `export interface Command {
  readonly name: string;
  readonly letter: string;
  readonly run: () => string;
}

export const commands: readonly Command[] = [
${place}
];
`,
  "check.ts": `import { commands } from "./commands.ts";

const letters = commands.map(({ letter }) => letter);
const twice = letters.filter((letter, place) => letters.indexOf(letter) !== place);
if (twice.length > 0) {
  console.error(\`two commands have the letter \${twice.join(", ")}\`);
  process.exit(1);
}
console.log(\`\${commands.length} commands, each with a letter of its own\`);
`,
};

interface Entry {
  readonly name: string;
  readonly letter: string;
  /** Taken when another command has that letter. */
  readonly otherLetter: string;
  readonly run: string;
}

const entries: readonly Entry[] = [
  { name: "hello", letter: "h", otherLetter: "g", run: '"hello"' },
  { name: "time", letter: "t", otherLetter: "c", run: "new Date().toTimeString()" },
  { name: "total", letter: "t", otherLetter: "s", run: "String(1 + 2 + 3)" },
];

function line({ name, run }: Entry, letter: string): string {
  return `  { name: "${name}", letter: "${letter}", run: () => ${run} },`;
}

/** Replaces lines of the file by what a program for sed says. */
function edit(program: string) {
  return { bash: `sed '${program}' ${file} > ${file}.new && mv ${file}.new ${file}`, expect: 0 };
}

export default {
  version: 1,
  turns: [
    {
      agent: "planner",
      steps: [
        { say: JSON.stringify({ tasks: entries.map(({ name }) => ({ id: name, title: `Add the command ${name}` })) }) },
      ],
    },
    {
      agent: "worker",
      match: "with conflict markers",
      steps: [edit("/^<<<<<<< /d;/^=======$/d;/^>>>>>>> /d"), { say: "Both entries stay." }],
    },
    ...entries.map((entry) => ({
      agent: "worker",
      task: entry.name,
      match: "two commands have the letter",
      steps: [
        edit(
          `s/name: "${entry.name}", letter: "${entry.letter}"/name: "${entry.name}", letter: "${entry.otherLetter}"/`,
        ),
        { say: `The letter ${entry.letter} is taken: ${entry.name} has ${entry.otherLetter} now.` },
      ],
    })),
    ...entries.map((entry) => ({
      agent: "worker",
      task: entry.name,
      steps: [
        edit(`s|^${place}$|${place}\\\n${line(entry, entry.letter)}|`),
        { bash: check, expect: 0 },
        { say: `The command ${entry.name} is there, and the check passes.` },
      ],
    })),
  ],
};
