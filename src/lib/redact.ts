// Masks secrets: the values of variables whose names look like one never reach a state, a journal or a log.

const secretName = /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL)/i;

// Shorter values ("1", "true", "test") are no secrets, and masking them would garble ordinary text.
const shortestSecret = 8;

type Variables = Readonly<Record<string, string | undefined>>;

/** Undefined when there is nothing to mask, so that callers can skip the work. */
export function createRedactor(env: Variables): ((text: string) => string) | undefined {
  const names = secretsOf(env);
  if (names.size === 0) return undefined;
  const pattern = patternOf(names.keys());
  return (text) => text.replace(pattern, (secret) => `[masked ${names.get(secret) ?? "secret"}]`);
}

/** For text that comes in pieces: a secret may be cut anywhere between two of them. */
export interface StreamRedactor {
  /** What may be shown by now. The end of it is held back while it could be the beginning of a secret. */
  push(piece: string): string;
  /** The rest: nothing follows. */
  end(): string;
}

/** Undefined when there is nothing to mask. */
export function createStreamRedactors(env: Variables): (() => StreamRedactor) | undefined {
  const redact = createRedactor(env);
  if (redact === undefined) return undefined;
  const secrets = [...secretsOf(env).keys()];
  const pattern = patternOf(secrets);
  return () => {
    let held = "";
    return {
      push(piece) {
        const text = held + piece;
        let cut = text.length - longestStart(text, secrets);
        // Never through a secret that is whole.
        for (const { index, 0: secret } of text.matchAll(pattern)) {
          if (index < cut && cut < index + secret.length) cut = index + secret.length;
        }
        held = text.slice(cut);
        return redact(text.slice(0, cut));
      },
      end() {
        const rest = redact(held);
        held = "";
        return rest;
      },
    };
  };
}

/** How many characters at the end of the text could be the beginning of a secret. */
function longestStart(text: string, secrets: readonly string[]): number {
  let longest = 0;
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(secret.slice(0, length))) longest = length;
    }
  }
  return longest;
}

/** By value, the longest first: one secret may be the beginning of another. */
function secretsOf(env: Variables): ReadonlyMap<string, string> {
  const found = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    secretName.test(name) && value !== undefined && value.length >= shortestSecret ? [[value, name]] : [],
  );
  return new Map(found.sort(([a], [b]) => b.length - a.length));
}

function patternOf(secrets: Iterable<string>): RegExp {
  return new RegExp([...secrets].map(escapePattern).join("|"), "g");
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
