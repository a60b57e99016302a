// What OpenCode's server says, narrowed to what this backend reads: messages, parts, states of a session. Everything
// from outside passes one of these schemas; fields that nobody here needs are dropped. The version these were seen with
// is in docs/agents.md; a server that says something else fails a schema, and that is reported, never guessed at.

import { z } from "zod";

const tokens = z.object({
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cache: z.object({ read: z.number(), write: z.number() }),
});

export const errorSchema = z.object({ name: z.string(), data: z.record(z.string(), z.unknown()).catch({}) });

const modelRef = z.object({ providerID: z.string(), modelID: z.string() });

const userMessage = z.object({ role: z.literal("user"), id: z.string(), sessionID: z.string(), model: modelRef });

const assistantMessage = z.object({
  role: z.literal("assistant"),
  id: z.string(),
  sessionID: z.string(),
  /** The user message it answers. */
  parentID: z.string(),
  providerID: z.string(),
  modelID: z.string(),
  /** True for the summary of a compaction, which is no answer. */
  summary: z.boolean().optional(),
  finish: z.string().optional(),
  error: errorSchema.optional(),
  time: z.object({ completed: z.number().optional() }),
  tokens,
});

export const messageSchema = z.discriminatedUnion("role", [userMessage, assistantMessage]);

const place = { id: z.string(), messageID: z.string(), sessionID: z.string() };
const fields = z.record(z.string(), z.unknown());

const toolState = z.discriminatedUnion("status", [
  z.object({ status: z.literal("pending") }),
  z.object({ status: z.literal("running"), input: fields, metadata: fields.optional() }),
  z.object({ status: z.literal("completed"), input: fields, output: z.string(), metadata: fields.optional() }),
  z.object({ status: z.literal("error"), input: fields, error: z.string(), metadata: fields.optional() }),
]);

const knownPart = z.discriminatedUnion("type", [
  z.object({ ...place, type: z.literal("text"), text: z.string() }),
  z.object({ ...place, type: z.literal("reasoning"), text: z.string() }),
  z.object({ ...place, type: z.literal("tool"), tool: z.string(), state: toolState }),
  z.object({ ...place, type: z.literal("step-finish"), cost: z.number(), tokens }),
]);

/** Parts that say nothing here: files, patches, snapshots and whatever comes later. */
const otherPart = z.object({ ...place, type: z.string().transform(() => "other" as const) });

export const partSchema = z.union([knownPart, otherPart]);

export const statusSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("idle") }),
  z.object({ type: z.literal("busy") }),
  z.object({
    type: z.literal("retry"),
    attempt: z.number(),
    message: z.string(),
    /** When it tries again, in milliseconds since the epoch. */
    next: z.number(),
  }),
]);

export const questionSchema = z.object({
  id: z.string(),
  sessionID: z.string(),
  questions: z.array(
    z.object({
      question: z.string(),
      header: z.string().optional(),
      options: z.array(z.object({ label: z.string(), description: z.string().optional() })),
      multiple: z.boolean().optional(),
      /** False: only the options. Absent: anything may be typed. */
      custom: z.boolean().optional(),
    }),
  ),
});

export const permissionSchema = z.object({ id: z.string(), sessionID: z.string() });

export const transcriptSchema = z.array(z.object({ info: messageSchema, parts: z.array(partSchema) }));

export const providersSchema = z.object({
  providers: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      models: z.record(
        z.string(),
        z.object({ id: z.string(), name: z.string(), limit: z.object({ context: z.number() }) }),
      ),
    }),
  ),
});

export type OpencodeError = z.output<typeof errorSchema>;
export type UserMessage = z.output<typeof userMessage>;
export type AssistantMessage = z.output<typeof assistantMessage>;
export type Message = z.output<typeof messageSchema>;
export type Part = z.output<typeof partSchema>;
export type PartOf<Type extends Part["type"]> = Extract<Part, { type: Type }>;
export type Tokens = z.output<typeof tokens>;
export type ModelRef = z.output<typeof modelRef>;
export type Status = z.output<typeof statusSchema>;
export type RetryStatus = Extract<Status, { type: "retry" }>;
export type OpencodeQuestion = z.output<typeof questionSchema>;
export type Permission = z.output<typeof permissionSchema>;
export type Transcript = z.output<typeof transcriptSchema>;
export type Providers = z.output<typeof providersSchema>["providers"];
