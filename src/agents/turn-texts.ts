// What a user reads when a turn ended in a way no program reported.

export function silenceMessage(agent: string, limitMs: number, tool: string | undefined): string {
  const subject = tool === undefined ? `The agent "${agent}"` : `The tool "${tool}" of the agent "${agent}"`;
  const setting = tool === undefined ? "limits.maxSilence" : "limits.maxToolSilence";
  return `${subject} gave no sign of life for ${spell(limitMs)}, so its turn was ended. If it needs longer, raise the setting ${setting} (in minutes): \`atomic config set ${setting} N\`.`;
}

export function streamEndMessage(
  agent: string,
  facts: {
    readonly exitCode?: number | undefined;
    readonly signal?: string | undefined;
    readonly stderr?: string | undefined;
  },
): string {
  const how =
    facts.signal !== undefined
      ? ` (${facts.signal})`
      : facts.exitCode !== undefined
        ? ` (exit code ${facts.exitCode})`
        : "";
  const said = facts.stderr?.trim();
  return `The agent "${agent}" ended without a result${how}.${said === undefined || said === "" ? "" : ` It said: ${said.slice(-2000)}`}`;
}

export function lateMessage(agent: string, what: string, limitMs: number): string {
  return `The agent "${agent}" was not done with ${what} within ${spell(limitMs)}.`;
}

function spell(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  return `${Math.round(ms / 60_000)} minutes`;
}
