// Markdown for plain text, such as the scrollback or one line of a screen: strong emphasis loses its asterisks,
// everything else stays. Code stays as written. One pass, because texts may be long and full of asterisks.

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

/** Removes pairs of `**` around words. An opening pair has no space after it, a closing one has none before it. */
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
