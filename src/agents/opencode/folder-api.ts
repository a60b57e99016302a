// What this backend asks of the server, for one folder: every call names the folder, because one server serves many.

import { fieldsOf } from "../fields.ts";
import { readToolServer, type ToolServer } from "../tool-servers.ts";
import { listOf, textOf } from "./fields.ts";
import { readAnswer, requireSuccess, type CallOptions, type HttpAnswer, type HttpCall } from "./http-call.ts";
import {
  parsePermission,
  parseProviders,
  parseQuestion,
  type OpencodeQuestion,
  type Permission,
  type Provider,
} from "./wire-requests.ts";
import { parseStatus, parseTranscript, type ModelRef, type SessionTranscript } from "./wire.ts";

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
  /** Add it to the conversation without asking the model. */
  readonly noReply?: boolean | undefined;
}

export interface FolderApi {
  createSession(title: string, permission: readonly PermissionRule[] | undefined): Promise<string>;
  /** Adds these rules to those of the session; the last that fits decides. */
  setPermission(session: string, permission: readonly PermissionRule[]): Promise<void>;
  /** Undefined if it does not exist. */
  session(session: string): Promise<{ readonly hasRules: boolean } | undefined>;
  /** A copy of the conversation in a session without rules. Returns its id. */
  fork(session: string): Promise<string>;
  /** Returns when the prompt is accepted; events report the rest. */
  prompt(session: string, prompt: Prompt): Promise<void>;
  /** Puts a message into the conversation. */
  note(session: string, text: string): Promise<void>;
  abort(session: string): Promise<void>;
  isIdle(session: string): Promise<boolean>;
  /** The newest messages, oldest first. */
  transcript(session: string, limit: number): Promise<SessionTranscript>;
  /** Returns when the summary is written. */
  summarize(session: string, model: ModelRef, limitMs: number): Promise<void>;
  questions(): Promise<readonly OpencodeQuestion[]>;
  answerQuestion(id: string, answers: readonly (readonly string[])[]): Promise<void>;
  rejectQuestion(id: string): Promise<void>;
  permissions(): Promise<readonly Permission[]>;
  allow(permission: string): Promise<void>;
  providers(): Promise<readonly Provider[]>;
  /** The ids of the providers that can be used: those with a key, a login or none needed. */
  connectedProviders(): Promise<readonly string[]>;
  servers(): Promise<readonly ToolServer[]>;
  /** Connects to an MCP server, or leaves it. */
  switchServer(name: string, isOn: boolean): Promise<void>;
  /** Ends what the server runs for this folder: MCP servers, language servers, shells. */
  dispose(): Promise<void>;
}

const callLimitMs = 30_000;
const disposeLimitMs = 5000;

interface AskOptions {
  readonly body?: unknown;
  readonly limitMs?: number;
}

export function createFolderApi(call: HttpCall, folder: string): FolderApi {
  const query = `directory=${encodeURIComponent(folder)}`;

  function send(method: CallOptions["method"], path: string, options: AskOptions = {}): Promise<HttpAnswer> {
    const { body, limitMs = callLimitMs } = options;
    return call({ method, path: `${path}${path.includes("?") ? "&" : "?"}${query}`, body, limitMs });
  }

  /** For calls whose answer is only that they were heard. */
  async function tell(method: CallOptions["method"], path: string, options: AskOptions = {}): Promise<void> {
    requireSuccess(await send(method, path, options), `${method} ${path}`);
  }

  async function ask<T>(path: string, parse: (value: unknown) => T | undefined): Promise<NonNullable<T>> {
    return readAnswer(await send("GET", path), parse, `GET ${path}`);
  }

  const of = (session: string): string => `/session/${encodeURIComponent(session)}`;
  const bodyOf = ({ text, ...rest }: Prompt): unknown => ({ ...rest, parts: [{ type: "text", text }] });

  return {
    async createSession(title, permission) {
      const answer = await send("POST", "/session", { body: { title, permission } });
      return readAnswer(answer, (value) => textOf(fieldsOf(value)?.["id"]), "POST /session");
    },
    setPermission: (session, permission) => tell("PATCH", of(session), { body: { permission } }),
    async session(session) {
      const answer = await send("GET", of(session));
      if (answer.status !== 200) return undefined;
      const rules = readAnswer(answer, fieldsOf, "GET /session")["permission"];
      return { hasRules: Array.isArray(rules) && rules.length > 0 };
    },
    async fork(session) {
      const answer = await send("POST", `${of(session)}/fork`, { body: {} });
      return readAnswer(answer, (value) => textOf(fieldsOf(value)?.["id"]), "POST /session/fork");
    },
    prompt: (session, prompt) => tell("POST", `${of(session)}/prompt_async`, { body: bodyOf(prompt) }),
    note: (session, text) => tell("POST", `${of(session)}/message`, { body: bodyOf({ text, noReply: true }) }),
    abort: (session) => tell("POST", `${of(session)}/abort`),
    async isIdle(session) {
      const status = (await ask("/session/status", fieldsOf))[session];
      // Only those that are at work are listed.
      return status === undefined || parseStatus(status)?.type === "idle";
    },
    transcript: (session, limit) => ask(`${of(session)}/message?limit=${limit}`, parseTranscript),
    summarize: (session, model, limitMs) =>
      tell("POST", `${of(session)}/summarize`, { body: { ...model, auto: false }, limitMs }),
    questions: () => ask("/question", (value) => listOf(value, parseQuestion)),
    answerQuestion: (id, answers) => tell("POST", `/question/${encodeURIComponent(id)}/reply`, { body: { answers } }),
    rejectQuestion: (id) => tell("POST", `/question/${encodeURIComponent(id)}/reject`),
    permissions: () => ask("/permission", (value) => listOf(value, parsePermission)),
    allow: (id) => tell("POST", `/permission/${encodeURIComponent(id)}/reply`, { body: { reply: "once" } }),
    providers: () => ask("/config/providers", parseProviders),
    connectedProviders: () => ask("/provider", (value) => listOf(fieldsOf(value)?.["connected"], textOf)),
    servers: async () =>
      Object.entries(await ask("/mcp", fieldsOf)).flatMap(
        ([name, state]) => readToolServer({ ...fieldsOf(state), name }) ?? [],
      ),
    switchServer: (name, isOn) => tell("POST", `/mcp/${encodeURIComponent(name)}/${isOn ? "connect" : "disconnect"}`),
    dispose: () => tell("POST", "/instance/dispose", { limitMs: disposeLimitMs }),
  };
}
