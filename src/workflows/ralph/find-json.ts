// The JSON object in an agent's answer: bare, in a fenced block, or with text around it.

const longestAnswer = 4 * 1024 * 1024;

export type FoundJson = { readonly value: unknown } | { readonly problem: string };

export function findJson(answer: string): FoundJson {
  if (answer.length > longestAnswer)
    return { problem: `the answer is ${answer.length} characters long, more than can be a plan or a review` };
  const candidates = [answer, ...fencedBlocks(answer), ...outermostObjects(answer)];
  let problem = "there is no JSON object in the answer";
  for (const candidate of candidates) {
    const text = candidate.trim();
    if (!text.startsWith("{") && !text.startsWith("[")) continue;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === "object" && value !== null) return { value };
    } catch (thrown) {
      problem = `the JSON in the answer can't be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    }
  }
  return { problem };
}

function fencedBlocks(answer: string): string[] {
  return [...answer.matchAll(/```[\w-]*[^\S\n]*\n([\s\S]*?)```/g)].map((match) => match[1] as string);
}

/** From the first brace to the one that closes it, strings read as strings. */
function outermostObjects(answer: string): string[] {
  const start = answer.indexOf("{");
  if (start === -1) return [];
  let depth = 0;
  let isInString = false;
  for (let i = start; i < answer.length; i++) {
    const c = answer[i];
    if (isInString) {
      if (c === "\\") i++;
      else if (c === '"') isInString = false;
    } else if (c === '"') isInString = true;
    else if (c === "{") depth++;
    else if (c === "}" && --depth === 0) return [answer.slice(start, i + 1)];
  }
  // Cut off: parsing it gives the reason.
  return [answer.slice(start)];
}
