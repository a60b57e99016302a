// What a scenario needs of a request to a model, the same for all three protocols.

export type Protocol = "anthropic" | "chat" | "responses";

export interface ModelMessage {
  readonly role: string;
  readonly text: string;
}

export interface ModelRequest {
  readonly protocol: Protocol;
  readonly model: string;
  readonly isStreamed: boolean;
  readonly tools: readonly string[];
  readonly messages: readonly ModelMessage[];
}

type Fields = Readonly<Record<string, unknown>>;

export function parseModelRequest(protocol: Protocol, body: unknown): ModelRequest {
  const fields = asFields(body);
  return {
    protocol,
    model: asText(fields["model"]),
    isStreamed: fields["stream"] === true,
    tools: asList(fields["tools"]).map(
      (tool) => asText(asFields(tool)["name"]) || asText(asFields(asFields(tool)["function"])["name"]),
    ),
    messages:
      protocol === "responses" ? responsesMessages(fields["input"]) : asList(fields["messages"]).map(plainMessage),
  };
}

function plainMessage(message: unknown): ModelMessage {
  const { role, content } = asFields(message);
  return { role: asText(role), text: contentText(content) };
}

/** One assistant turn consists of several items (reasoning, calls, text): consecutive ones count as one message. */
function responsesMessages(input: unknown): readonly ModelMessage[] {
  if (typeof input === "string") return [{ role: "user", text: input }];
  const messages: ModelMessage[] = [];
  let isAssistantRun = false;
  for (const item of asList(input)) {
    const { role, type, content, output } = asFields(item);
    const isAssistant = role === "assistant" || type === "function_call" || type === "reasoning";
    if (isAssistant && !isAssistantRun) messages.push({ role: "assistant", text: "" });
    if (!isAssistant) messages.push({ role: asText(role) || "tool", text: contentText(content ?? output) });
    isAssistantRun = isAssistant;
  }
  return messages;
}

/** The text of a message, including the results of tools. */
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return asList(content)
    .map((part) => asText(asFields(part)["text"]) || contentText(asFields(part)["content"]))
    .join("\n");
}

function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
