// Masks secrets: the values of variables whose names look like one never reach a state, a journal or a log.

const secretName = /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL)/i;

// Shorter values ("1", "true", "test") are no secrets, and masking them would garble ordinary text.
const shortestSecret = 8;

/** Undefined when there is nothing to mask, so that callers can skip the work. */
export function createRedactor(
  env: Readonly<Record<string, string | undefined>>,
): ((text: string) => string) | undefined {
  const secrets = Object.entries(env)
    .filter(([name, value]) => secretName.test(name) && value !== undefined && value.length >= shortestSecret)
    // The longest first: one secret may be the beginning of another.
    .sort(([, a], [, b]) => (b?.length ?? 0) - (a?.length ?? 0));
  if (secrets.length === 0) return undefined;
  const names = new Map(secrets.map(([name, value]) => [value as string, name]));
  const pattern = new RegExp([...names.keys()].map(escapePattern).join("|"), "g");
  return (text) => text.replace(pattern, (secret) => `[masked ${names.get(secret) ?? "secret"}]`);
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
