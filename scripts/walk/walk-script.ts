// The script of the embedded agent in the recorded walk. `check NAME` waits until the walk lets it finish.

const retry = `export async function retry(attempt, times = 3) {
  for (let left = times; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}
`;

const fetcher = `import { retry } from "./retry.js";

export async function load(url) {
  const answer = await retry(() => fetch(url));
  return answer.text();
}
`;

const cache = `const kept = new Map();

export async function cached(key, load) {
  if (!kept.has(key)) kept.set(key, await load());
  return kept.get(key);
}
`;

const plan = {
  tasks: [
    { id: "1", title: "retry", description: "Try three times.", verify: "check retry" },
    { id: "2", title: "cache", description: "Fetch each address once.", verify: "check cache" },
    { id: "3", title: "schema", description: "Say what a feed looks like.", verify: "check schema" },
    {
      id: "4",
      title: "docs",
      description: "Write it down.",
      blockedBy: ["1", "2", "3"],
      verify: "test -s docs/fetch.md",
    },
  ],
} as const;

const usage = (costUsd: number, inputTokens = 4000): object => ({ usage: { inputTokens, outputTokens: 600, costUsd } });
const check = (name: string): object => ({ bash: `check ${name}` });

export const walkScript = {
  version: 1,
  turns: [
    { agent: "planner", steps: [{ say: JSON.stringify(plan) }, usage(0.12)] },
    // Before the task it works for.
    {
      agent: "debugger",
      steps: [{ bash: "grep -rn timeout src || true" }, check("retry"), { say: "Nothing waits for ever." }],
    },
    {
      task: "1",
      steps: [
        { write: { path: "src/retry.js", content: retry } },
        { write: { path: "src/fetch.js", content: fetcher } },
        usage(0.41),
        { subagent: { agent: "debugger", prompt: "Find out why the fetcher times out" } },
        check("retry"),
        { say: "The fetcher tries three times." },
      ],
    },
    {
      task: "2",
      steps: [
        { write: { path: "src/cache.js", content: cache } },
        usage(0.16),
        check("cache"),
        { say: "Each address is fetched once." },
      ],
    },
    {
      task: "3",
      steps: [
        usage(0.08),
        check("parse"),
        {
          ask: { question: "Which library should check the feeds?", options: ["zod", "valibot", "none, by hand"] },
          as: "library",
        },
        { write: { path: "src/schema.js", content: "// checked with ${library}\nexport const feed = {};\n" } },
        check("schema"),
        { say: "Feeds are checked with ${library}." },
      ],
    },
    {
      task: "4",
      steps: [{ write: { path: "docs/fetch.md", content: "# Fetching\n" } }, usage(0.03), { say: "Written down." }],
    },
    { match: "[Rr]eview", steps: [{ say: '{"verdict":"correct","findings":[]}' }, usage(0.09)] },
    {
      match: "timeout",
      steps: [
        { think: "Where is the address fetched, and what happens when that fails?" },
        { say: "I'll look at how it fails first.\n\n" },
        { bash: "cat src/fetch.js" },
        {
          say: "`load` gives up at the **first** error. It needs:\n\n1. a timeout for each attempt\n2. a message that names the address\n\n```js\nconst signal = AbortSignal.timeout(10_000);\nreturn await fetch(url, { signal });\n```\n",
        },
        {
          write: {
            path: "src/fetch.js",
            content:
              "export async function load(url) {\n  const signal = AbortSignal.timeout(10_000);\n  const answer = await fetch(url, { signal });\n  return answer.text();\n}\n",
          },
        },
        usage(0.38, 82_000),
        check("fetch"),
        { say: "\nDone: a request that hangs ends after ten seconds." },
      ],
    },
    { steps: [{ say: "The address is logged with each attempt." }, usage(0.02, 84_000)] },
  ],
} as const;
