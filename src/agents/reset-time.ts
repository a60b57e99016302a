// When a limit ends, read from the words and headers that programs really use. Returns milliseconds since the epoch, or
// nothing: a wrong guess is worse than an unknown wait.

/** Header names in any case, values as sent. */
export type HeaderValues = Readonly<Record<string, string | undefined>>;

/** From the headers of an answer with status 429 or 503. */
export function resetTimeFromHeaders(headers: HeaderValues, now: number): number | undefined {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const milliseconds = Number(lower.get("retry-after-ms"));
  if (lower.get("retry-after-ms") !== undefined && Number.isFinite(milliseconds)) return now + milliseconds;
  const retryAfter = lower.get("retry-after");
  if (retryAfter !== undefined) {
    if (/^\d+(\.\d+)?$/.test(retryAfter.trim())) return now + Number(retryAfter) * 1000;
    const date = Date.parse(retryAfter);
    if (!Number.isNaN(date)) return date;
  }
  // Several limits may be reported at once. Only the unified one belongs to the request; of the others the last to end
  // counts.
  const unified = parseInstant(lower.get("anthropic-ratelimit-unified-reset"));
  if (unified !== undefined) return unified;
  const resets = [...lower]
    .filter(([name]) => /ratelimit.*reset/.test(name))
    .map(([, value]) => parseInstant(value) ?? parseSpan(value, now));
  const known = resets.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** From a message to the user. */
export function resetTimeFromText(text: string, now: number): number | undefined {
  // "usage limit reached|1760004000"
  const epoch = /\|(\d{10})(?:\d{3})?\b/.exec(text);
  if (epoch?.[1] !== undefined) return Number(epoch[1]) * 1000;
  // "try again in 2 hours", "Please wait 2 minutes", "retry after 20s", "resets in 1h 5m"
  const span =
    /(?:try again|retry(?:ing)?|resets?|available|wait)(?: again)?(?: in| after| for)? +(?:about +)?((?:\d+(?:\.\d+)? ?(?:milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|s|m|h|d)(?![a-z])[ ,]*(?:and )?)+)/i.exec(
      text,
    );
  if (span?.[1] !== undefined) return parseSpan(span[1], now);
  // "resets 3pm (Europe/Berlin)", "resets Oct 31, 9am", "reset on April 20, 2026 at 2:00 AM"
  return clockTime(text, now);
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseSpan(text: string | undefined, now: number): number | undefined {
  let total = 0;
  let isFound = false;
  for (const [, amount, unit] of (text ?? "").matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/gi)) {
    total += Number(amount) * spanUnit((unit ?? "").toLowerCase());
    isFound = true;
  }
  return isFound ? now + total : undefined;
}

function spanUnit(unit: string): number {
  if (unit === "ms" || unit.startsWith("milli")) return 1;
  return unitMs[unit.charAt(0)] ?? 0;
}

function parseInstant(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{10}$/.test(value)) return Number(value) * 1000;
  if (/^\d{13}$/.test(value)) return Number(value);
  const date = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const clockPattern =
  /resets?(?: at| on)? (?:([a-z]{3,9})\.? (\d{1,2})(?:, (\d{4}))?(?:,? at |, | )?)?(?:(\d{1,2})(?::(\d\d))? ?([ap]m)?)?(?: \(([A-Za-z_]+(?:\/[A-Za-z_+-]+)*)\))?/i;

function clockTime(text: string, now: number): number | undefined {
  const match = clockPattern.exec(text);
  if (match === null) return undefined;
  const [, monthName, day, year, hourText, minuteText, half, zone] = match;
  if (monthName === undefined && (hourText === undefined || (half === undefined && minuteText === undefined)))
    return undefined;
  const offset = zoneOffset(zone, now);
  if (offset === undefined) return undefined;
  const today = new Date(now + offset);
  const hour =
    hourText === undefined
      ? 0
      : (Number(hourText) % (half === undefined ? 24 : 12)) + (half?.toLowerCase() === "pm" ? 12 : 0);
  const minute = minuteText === undefined ? 0 : Number(minuteText);
  if (monthName === undefined) {
    const at = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate(), hour, minute);
    return inZone(at <= now + offset ? at + 86_400_000 : at, zone, offset);
  }
  const month = months.indexOf(monthName.slice(0, 3).toLowerCase());
  if (month === -1 || day === undefined) return undefined;
  const at = Date.UTC(year === undefined ? today.getUTCFullYear() : Number(year), month, Number(day), hour, minute);
  // Without a year, a date long past is next year's: a limit reported in December may end in January.
  const isNextYear = year === undefined && at < now + offset - 180 * 86_400_000;
  return inZone(isNextYear ? Date.UTC(today.getUTCFullYear() + 1, month, Number(day), hour, minute) : at, zone, offset);
}

/** The instant of a wall-clock time; the zone's offset is taken at that instant, not at now. */
function inZone(wall: number, zone: string | undefined, offsetNow: number): number {
  return wall - (zoneOffset(zone, wall - offsetNow) ?? offsetNow);
}

/** Milliseconds that the zone's clocks are ahead of UTC. No zone: this machine's. */
function zoneOffset(zone: string | undefined, at: number): number | undefined {
  if (zone === undefined) return -new Date(at).getTimezoneOffset() * 60_000;
  try {
    const parts = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    }).formatToParts(at);
    const part = (type: string): number => Number(parts.find((entry) => entry.type === type)?.value);
    return (
      Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute")) -
      Math.floor(at / 60_000) * 60_000
    );
  } catch (thrown) {
    // An unknown time zone.
    if (!(thrown instanceof RangeError)) throw thrown;
    return undefined;
  }
}
