// Whether the model that answered is the one that was asked for. People ask for `sonnet`, the service answers as
// `claude-sonnet-5-20260401`, and clouds add their own prefixes.

/** `resolved` maps the short names of the program's own list to what they stand for today. */
export function isSameClaudeModel(asked: string, served: string, resolved: ReadonlyMap<string, string>): boolean {
  if (asked === served) return true;
  const [wanted, answered] = [plain(asked), plain(served)];
  if (wanted === answered || varies.has(wanted)) return true;
  const target = resolved.get(asked);
  if (target !== undefined && plain(target) === answered) return true;
  // A family's name: any model of the family.
  return /^[a-z]+$/.test(wanted) && answered.split("-").includes(wanted);
}

/** Names that leave the choice to the program. */
const varies: ReadonlySet<string> = new Set(["default", "best", "opusplan", "inherit"]);

/** Without what clouds and dates add: `us.anthropic.claude-opus-4-8-20260115-v1:0`, `opus[1m]`. */
function plain(model: string): string {
  return model
    .toLowerCase()
    .replace(/\[[^\]]*\]$/, "")
    .replace(/^.*(?:anthropic[./])/, "")
    .replace(/-v\d+(?::\d+)?$/, "")
    .replace(/[-@]\d{8}$/, "")
    .replace(/-latest$/, "");
}
