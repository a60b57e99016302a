import { expect, test } from "bun:test";
import { resetTimeFromHeaders, resetTimeFromText } from "./reset-time.ts";

// 2026-07-19 15:00 UTC, a Sunday in summer: Berlin is UTC+2, New York UTC-4.
const now = Date.UTC(2026, 6, 19, 15, 0);
const minute = 60_000;
const hour = 60 * minute;

const texts: readonly (readonly [string, number | undefined])[] = [
  ["Claude AI usage limit reached|1784480400", 1_784_480_400_000],
  ["You've hit your session limit · resets 10:30pm (Europe/Berlin)", Date.UTC(2026, 6, 19, 20, 30)],
  ["You've hit your session limit · resets 3pm (Europe/Berlin)", Date.UTC(2026, 6, 20, 13, 0)],
  ["You've hit your session limit · resets 12:50am (America/Los_Angeles)", Date.UTC(2026, 6, 20, 7, 50)],
  ["5-hour limit reached ∙ resets 12pm (America/New_York)", Date.UTC(2026, 6, 19, 16, 0)],
  ["Opus weekly limit reached ∙ resets Oct 31, 9am (UTC)", Date.UTC(2026, 9, 31, 9, 0)],
  ["Weekly limit reached ∙ resets Jul 24 at 5pm (Europe/Berlin)", Date.UTC(2026, 6, 24, 15, 0)],
  ["Weekly limit reached ∙ resets Jan 3, 1pm (UTC)", Date.UTC(2027, 0, 3, 13, 0)],
  ["Please wait for your limit to reset on April 20, 2027 at 2:00 AM (UTC) or switch", Date.UTC(2027, 3, 20, 2, 0)],
  ["Please try again in 2 hours. Please review our Terms of Service", now + 2 * hour],
  ["Please try again in 1.2s. Visit the page", now + 1200],
  ["Please try again in 6m0s.", now + 6 * minute],
  ["Please try again in 58ms.", now + 58],
  ["Please wait 2 minutes before trying again or consider switching to Auto.", now + 2 * minute],
  ["try again in 3 days 4 hours", now + 76 * hour],
  ["limit resets in 1h 5m", now + 65 * minute],
  ["You've hit your session limit · resets 10pm (Nowhere/Atlantis)", undefined],
  ["Please try again later.", undefined],
  ["Rate limit exceeded. Please retry after a brief wait.", undefined],
  ["resets soon", undefined],
];

for (const [text, expected] of texts) {
  test(`resetTimeFromText reads ${JSON.stringify(text)}`, () => {
    expect(resetTimeFromText(text, now)).toBe(expected as number);
  });
}

test("resetTimeFromText takes the offset of the day the limit ends, not of today", () => {
  // Berlin leaves summer time on 25 October 2026.
  expect(resetTimeFromText("limit reached ∙ resets Oct 26, 9am (Europe/Berlin)", now)).toBe(
    Date.UTC(2026, 9, 26, 8, 0),
  );
});

const headers: readonly (readonly [Record<string, string>, number | undefined])[] = [
  [{ "Retry-After": "30" }, now + 30_000],
  [{ "retry-after": "Sun, 19 Jul 2026 15:10:00 GMT" }, now + 10 * minute],
  [{ "retry-after-ms": "1500", "retry-after": "2" }, now + 1500],
  [
    { "anthropic-ratelimit-unified-reset": "1784480400", "anthropic-ratelimit-requests-reset": "2030-01-01T00:00:00Z" },
    1_784_480_400_000,
  ],
  [
    {
      "anthropic-ratelimit-tokens-reset": "2026-07-19T15:01:00Z",
      "anthropic-ratelimit-requests-reset": "2026-07-19T15:00:30Z",
    },
    now + minute,
  ],
  [{ "x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-reset-requests": "1s" }, now + 6 * minute],
  [{ "x-ratelimit-reset": "1784480400" }, 1_784_480_400_000],
  [{ "retry-after": "soon" }, undefined],
  [{}, undefined],
];

for (const [given, expected] of headers) {
  test(`resetTimeFromHeaders reads ${JSON.stringify(given)}`, () => {
    expect(resetTimeFromHeaders(given, now)).toBe(expected as number);
  });
}
