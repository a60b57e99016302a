// The JSON object in an agent's answer: bare, in a fenced block, or with text around it.

const maxAnswerChars = 4 * 1024 * 1024;
const keptOfTooLong = 8000;
/** Far more than a plan or a review needs; what is deeper could not be put on record. */
const maxLevels = 100;

/** What an agent said, as it is put on record. A type and not an interface: it goes there as JSON. */
export type FoundAnswer = {
  readonly text: string;
  /** How long it was; more than the text has when it was too long to be kept. */
  readonly chars: number;
};

export function answerOf(text: string): FoundAnswer {
  const chars = text.length;
  return { text: chars > maxAnswerChars ? text.slice(0, keptOfTooLong) : text, chars };
}

export type FoundJson = { readonly value: unknown } | { readonly problem: string };

/** Of several objects, the one that has the key is the answer; the others are examples and quotations. */
export function findJson({ text: answer, chars }: FoundAnswer, key: string): FoundJson {
  if (chars > maxAnswerChars)
    return { problem: `the answer is ${chars} characters long, more than can be a plan or a review` };
  const candidates = [answer, ...fencedBlocks(answer), ...outermostObjects(answer)];
  let problem = "there is no JSON object in the answer";
  let other: FoundJson | undefined;
  for (const candidate of candidates) {
    const text = candidate.trim();
    if (!text.startsWith("{") && !text.startsWith("[")) continue;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value !== "object" || value === null) continue;
      if (isDeeperThan(maxLevels, value)) problem = `the JSON in the answer is nested deeper than ${maxLevels} levels`;
      else if (Object.hasOwn(value, key)) return { value };
      else other ??= { value };
    } catch (thrown) {
      problem = `the JSON in the answer can't be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    }
  }
  return other ?? { problem };
}

/** Level by level, because deep nesting would exhaust the stack. */
function isDeeperThan(levels: number, value: object): boolean {
  let level: readonly object[] = [value];
  for (let depth = 1; depth <= levels; depth++) {
    level = level.flatMap((each) =>
      Object.values(each).filter((part): part is object => typeof part === "object" && part !== null),
    );
    if (level.length === 0) return false;
  }
  return true;
}

function fencedBlocks(answer: string): string[] {
  return [...answer.matchAll(/```[\w-]*[^\S\n]*\n([\s\S]*?)```/g)].map((match) => match[1] as string);
}

const maxObjects = 100;

/** What stands between a brace and the one that closes it, strings read as strings; the longest first. */
function outermostObjects(answer: string): string[] {
  const found: string[] = [];
  let start = answer.indexOf("{");
  while (start !== -1 && found.length < maxObjects) {
    const end = endOfObject(answer, start);
    // Cut off: parsing it gives the reason.
    found.push(answer.slice(start, end));
    start = end === undefined ? -1 : answer.indexOf("{", end);
  }
  return found.toSorted((a, b) => b.length - a.length);
}

function endOfObject(answer: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let i = start; i < answer.length; i++) {
    const c = answer[i];
    if (isInString) {
      if (c === "\\") i++;
      else if (c === '"') isInString = false;
    } else if (c === '"') isInString = true;
    else if (c === "{") depth++;
    else if (c === "}" && --depth === 0) return i + 1;
  }
  return undefined;
}
