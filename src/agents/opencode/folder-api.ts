// What this backend asks of the server, for one folder: every call names the folder, because one server serves many.

import { z } from "zod";
import { readAnswer, type CallOptions, type HttpCall } from "./http-call.ts";
import {
  permissionSchema,
  providersSchema,
  questionSchema,
  statusSchema,
  transcriptSchema,
  type ModelRef,
  type OpencodeQuestion,
  type Permission,
  type Providers,
  type Transcript,
} from "./wire.ts";

export interface PermissionRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: "allow" | "deny" | "ask";
}

export interface Prompt {
  readonly text: string;
  readonly model?: ModelRef | undefined;
  /** Added to the program's own instructions. */
  readonly system?: string | undefined;
  /** Put it into the conversation and ask nobody. */
  readonly noReply?: boolean | undefined;
}

export interface FolderApi {
  createSession(title: string, permission: readonly PermissionRule[] | undefined): Promise<string>;
  setPermission(session: string, permission: readonly PermissionRule[]): Promise<void>;
  hasSession(session: string): Promise<boolean>;
  /** Returns when the prompt was taken; what comes of it is told by events. */
  prompt(session: string, prompt: Prompt): Promise<void>;
  /** Puts a message into the conversation. */
  note(session: string, text: string): Promise<void>;
  abort(session: string): Promise<void>;
  isIdle(session: string): Promise<boolean>;
  /** The newest messages, oldest first. */
  transcript(session: string, limit?: number): Promise<Transcript>;
  /** Returns when the summary is written. */
  summarize(session: string, model: ModelRef, limitMs: number): Promise<void>;
  questions(): Promise<readonly OpencodeQuestion[]>;
  answerQuestion(id: string, answers: readonly (readonly string[])[]): Promise<void>;
  rejectQuestion(id: string): Promise<void>;
  permissions(): Promise<readonly Permission[]>;
  allow(permission: string): Promise<void>;
  providers(): Promise<Providers>;
  /** The ids of the providers that can be used: those with a key, a login or none needed. */
  connectedProviders(): Promise<readonly string[]>;
  /** Ends what the server runs for this folder: MCP servers, language servers, shells. */
  dispose(): Promise<void>;
}

const anything = z.unknown();
const callLimitMs = 30_000;
const disposeLimitMs = 8000;

export function createFolderApi(call: HttpCall, folder: string): FolderApi {
  const query = `directory=${encodeURIComponent(folder)}`;

  async function ask<Schema extends z.ZodType>(
    method: CallOptions["method"],
    path: string,
    schema: Schema,
    options: { readonly body?: unknown; readonly limitMs?: number } = {},
  ): Promise<z.output<Schema>> {
    const separator = path.includes("?") ? "&" : "?";
    const answer = await call({
      method,
      path: `${path}${separator}${query}`,
      body: options.body,
      limitMs: options.limitMs ?? callLimitMs,
    });
    return readAnswer(answer, schema, `${method} ${path}`);
  }

  const of = (session: string): string => `/session/${encodeURIComponent(session)}`;
  const bodyOf = ({ text, ...rest }: Prompt): unknown => ({ ...rest, parts: [{ type: "text", text }] });

  return {
    async createSession(title, permission) {
      const body = { title, ...(permission !== undefined && { permission }) };
      return (await ask("POST", "/session", z.object({ id: z.string() }), { body })).id;
    },
    setPermission: async (session, permission) =>
      void (await ask("PATCH", of(session), anything, { body: { permission } })),
    async hasSession(session) {
      const { status } = await call({ method: "GET", path: `${of(session)}?${query}`, limitMs: callLimitMs });
      return status === 200;
    },
    prompt: async (session, prompt) =>
      void (await ask("POST", `${of(session)}/prompt_async`, anything, { body: bodyOf(prompt) })),
    note: async (session, text) =>
      void (await ask("POST", `${of(session)}/message`, anything, { body: bodyOf({ text, noReply: true }) })),
    abort: async (session) => void (await ask("POST", `${of(session)}/abort`, anything)),
    async isIdle(session) {
      const all = await ask("GET", "/session/status", z.record(z.string(), statusSchema));
      return (all[session]?.type ?? "idle") === "idle";
    },
    transcript: (session, limit) =>
      ask("GET", `${of(session)}/message${limit === undefined ? "" : `?limit=${limit}`}`, transcriptSchema),
    summarize: async (session, model, limitMs) =>
      void (await ask("POST", `${of(session)}/summarize`, anything, { body: { ...model, auto: false }, limitMs })),
    questions: () => ask("GET", "/question", z.array(questionSchema)),
    answerQuestion: async (id, answers) =>
      void (await ask("POST", `/question/${encodeURIComponent(id)}/reply`, anything, { body: { answers } })),
    rejectQuestion: async (id) => void (await ask("POST", `/question/${encodeURIComponent(id)}/reject`, anything)),
    permissions: () => ask("GET", "/permission", z.array(permissionSchema)),
    allow: async (id) =>
      void (await ask("POST", `/permission/${encodeURIComponent(id)}/reply`, anything, { body: { reply: "once" } })),
    providers: async () => (await ask("GET", "/config/providers", providersSchema)).providers,
    connectedProviders: async () =>
      (await ask("GET", "/provider", z.object({ connected: z.array(z.string()) }))).connected,
    dispose: async () => void (await ask("POST", "/instance/dispose", anything, { limitMs: disposeLimitMs })),
  };
}
