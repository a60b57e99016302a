import { expect, test } from "bun:test";
import { failureOfError, failureOfRetry } from "./opencode-failure.ts";

const now = 1_760_000_000_000;
const api = (data: Record<string, unknown>): { name: string; data: Record<string, unknown> } => ({
  name: "APIError",
  data: { isRetryable: false, ...data },
});

test("failureOfError takes the status, the headers and the words of the service", () => {
  expect(failureOfError(api({ message: "Unauthorized", statusCode: 401 }), now)).toMatchObject({
    kind: "auth",
    retryable: false,
    status: 401,
  });
  const limited = api({ message: "Too Many Requests", statusCode: 429, responseHeaders: { "retry-after": "60" } });
  expect(failureOfError(limited, now)).toMatchObject({ kind: "rate_limited", resetAt: now + 60_000 });
  const poor = api({
    message: "Too Many Requests",
    statusCode: 429,
    responseBody: '{"error":{"code":"insufficient_quota"}}',
  });
  expect(failureOfError(poor, now)).toMatchObject({ kind: "budget", message: "Too Many Requests" });
});

test("failureOfError knows OpenCode's own names", () => {
  const kindOf = (name: string): string => failureOfError({ name, data: { message: "x" } }, now).kind;

  expect(kindOf("ProviderAuthError")).toBe("auth");
  expect(kindOf("ContextOverflowError")).toBe("context_overflow");
  expect(kindOf("ContentFilterError")).toBe("refused");
  expect(kindOf("UnknownError")).toBe("crashed");
});

test("failureOfError takes what OpenCode tried again for as something that passes", () => {
  const broken = api({ message: "terminated", isRetryable: true });

  expect(failureOfError(broken, now)).toMatchObject({ kind: "overloaded", retryable: true, message: "terminated" });
});

test("failureOfError takes an error that it doesn't know as something that may pass, with the words it came with", () => {
  const unknown = (data: Record<string, unknown>) => failureOfError({ name: "BrandNewError", data }, now);
  const passing = { kind: "crashed", retryable: true } as const;

  expect(unknown({ message: "flux capacitor" })).toEqual({ ...passing, message: "flux capacitor" });
  for (const data of [{}, { message: "" }, { message: 7, statusCode: "x", responseHeaders: null, responseBody: [] }])
    expect(unknown(data)).toEqual({ ...passing, message: "BrandNewError" });
});

test("failureOfRetry never calls a wait a crash", () => {
  const retry = (message: string) => failureOfRetry({ type: "retry", attempt: 1, message, next: now }, now).kind;

  expect(retry("Too Many Requests")).toBe("rate_limited");
  expect(retry("terminated")).toBe("overloaded");
  expect(retry("Free usage exceeded, subscribe to Go")).toBe("budget");
});
