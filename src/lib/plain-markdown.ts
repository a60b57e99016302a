// Markdown for a place that shows text as it is, such as the scrollback or one line of a screen: strong emphasis loses
// its signs, everything else stays. Code stays as it is written. One pass: texts may be long and full of signs.

/** `**Done:** see **a.ts**` as `Done: see a.ts`. */
export function plainMarkdown(text: string): string {
  if (!text.includes("**")) return text;
  let isInFence = false;
  return text
    .split("\n")
    .map((line) => {
      const isFence = /^ {0,3}(?:```|~~~)/.test(line);
      if (isFence) isInFence = !isInFence;
      return isFence || isInFence ? line : plainLine(line);
    })
    .join("\n");
}

/** Every other part is between back-ticks. */
function plainLine(line: string): string {
  return line.split(/(`+)/).reduce(
    ({ shown, fence }, part, i) => {
      const isFence = i % 2 === 1;
      if (isFence) return { shown: shown + part, fence: fence === "" ? part : fence === part ? "" : fence };
      return { shown: shown + (fence === "" ? withoutStars(part) : part), fence };
    },
    { shown: "", fence: "" },
  ).shown;
}

/** Pairs of two stars around words. What opens has no space behind it, what closes has none before it. */
function withoutStars(text: string): string {
  const parts = text.split(/(\*+)/);
  let open: number | undefined;
  for (let i = 1; i < parts.length; i += 2) {
    if (parts[i] !== "**") {
      open = undefined;
      continue;
    }
    const before = parts[i - 1] ?? "";
    const after = parts[i + 1] ?? "";
    if (open !== undefined && /\S$/.test(before)) {
      parts[open] = "";
      parts[i] = "";
      open = undefined;
    } else open = /^\S/.test(after) && !before.endsWith("\\") ? i : undefined;
  }
  return parts.join("");
}
