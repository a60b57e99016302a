// The fenced blocks of a page, each with its position, and the file that it shows if the line above names one:
//
//   `.atomic/workflows/notes.ts`:
//
//   ```ts
//   …
//   ```

export interface Block {
  /** The first word after the fence. */
  readonly language: string;
  /** The rest of that line. */
  readonly info: string;
  readonly text: string;
  readonly file: string | undefined;
  /** Commands that prepare what the block shows, and that a reader does not see: `<!-- run: COMMAND -->`. */
  readonly before: readonly string[];
  /** The line of the fence, from 1. */
  readonly line: number;
  /** Where the text starts and ends in the page. */
  readonly start: number;
  readonly end: number;
}

const fenced = /(?:^`([^`\n]+)`:\n\n)?^```(\S*)([^\n]*)\n([\s\S]*?)^```$/gm;

const hidden = /^<!-- run: (.*) -->$/gm;

export function readBlocks(page: string): readonly Block[] {
  let last = 0;
  return [...page.matchAll(fenced)].map((match) => {
    const before = [...page.slice(last, match.index).matchAll(hidden)].map(([, command = ""]) => command);
    const [whole, file, language = "", info = "", text = ""] = match;
    const end = match.index + whole.length - 3;
    const start = end - text.length;
    const line = page.slice(0, start).split("\n").length - 1;
    last = end;
    return { language, info: info.trim(), text, file, before, line, start, end };
  });
}

export interface Command {
  /** As typed in a shell. */
  readonly line: string;
  /** The output below it. A line of `…` stands for any number of lines. */
  readonly shown: readonly string[];
}

/** The commands of a `console` block: lines after `$ `, each with what it prints. */
export function readCommands(text: string): readonly Command[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [line = "", ...shown] = part.replace(/\n$/, "").split("\n");
      return { line, shown };
    });
}
