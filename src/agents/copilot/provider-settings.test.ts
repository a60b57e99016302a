import { expect, test } from "bun:test";
import { AtomicError } from "../../lib/errors.ts";
import { parseModelSettings } from "./provider-settings.ts";

test("parseModelSettings names no provider where the user has none", () => {
  expect(parseModelSettings({ COPILOT_MODEL: "gpt-5" })).toEqual({ provider: undefined, model: "gpt-5" });
  expect(parseModelSettings({ COPILOT_PROVIDER_BASE_URL: " ", COPILOT_PROVIDER_API_KEY: "k" })).toEqual({
    provider: undefined,
    model: undefined,
  });
});

test("parseModelSettings passes everything on that the program's own variables say", () => {
  const { provider, model } = parseModelSettings({
    COPILOT_MODEL: "local",
    COPILOT_PROVIDER_BASE_URL: "http://127.0.0.1:1/v1",
    COPILOT_PROVIDER_TYPE: "azure",
    COPILOT_PROVIDER_WIRE_API: "responses",
    COPILOT_PROVIDER_TRANSPORT: "websockets",
    COPILOT_PROVIDER_API_KEY: "test-key",
    COPILOT_PROVIDER_BEARER_TOKEN: "test-token",
    COPILOT_PROVIDER_AZURE_API_VERSION: "2024-10-21",
    COPILOT_PROVIDER_MODEL_ID: "gpt-5",
    COPILOT_PROVIDER_WIRE_MODEL: "deployment",
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "1000",
    COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: "200",
    COPILOT_PROVIDER_HEADERS: "X-Tenant: a:b\\nX-Route: c\nX-More: d",
  });

  expect(model).toBe("local");
  expect(provider).toEqual({
    baseUrl: "http://127.0.0.1:1/v1",
    type: "azure",
    wireApi: "responses",
    transport: "websockets",
    apiKey: "test-key",
    bearerToken: "test-token",
    azure: { apiVersion: "2024-10-21" },
    modelId: "gpt-5",
    wireModel: "deployment",
    maxPromptTokens: 1000,
    maxOutputTokens: 200,
    headers: { "X-Tenant": "a:b", "X-Route": "c", "X-More": "d" },
  });
});

test.each([
  ["COPILOT_PROVIDER_TYPE", "ollama", /not one of openai, azure, anthropic/],
  ["COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "many", /not a number/],
  ["COPILOT_PROVIDER_HEADERS", "nonsense", /no colon/],
  ["COPILOT_PROVIDER_API_KEY_COMMAND", "pass show key", /COPILOT_PROVIDER_API_KEY\b/],
])("parseModelSettings refuses %s=%s and says why", (name, value, problem) => {
  let refusal: unknown;
  try {
    parseModelSettings({ COPILOT_PROVIDER_BASE_URL: "http://127.0.0.1:1", [name]: value });
  } catch (thrown) {
    refusal = thrown;
  }

  expect(AtomicError.is(refusal, "AGENT_UNAVAILABLE") && refusal.message).toMatch(problem);
});
