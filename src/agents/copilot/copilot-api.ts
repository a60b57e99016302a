// What the program can be asked over its pipes, as functions.

import type { Fields } from "../fields.ts";
import type { RunningProgram } from "../process/spawn-program.ts";
import type {
  CallProgram,
  CopilotApi,
  CopilotSessionApi,
  ProgramModel,
  SessionConfig,
  UserInputQuestion,
} from "./copilot-protocol.ts";
import { openCopilotSessionApi } from "./copilot-session-api.ts";
import { openWire, type CopilotWire } from "./copilot-wire.ts";

/** The versions of the protocol that the suite in tests/agents passed on. */
const protocolVersion = 3;

export interface CopilotConnection {
  readonly api: CopilotApi;
  readonly wire: CopilotWire;
}

export function connectCopilot(
  program: Pick<RunningProgram, "stdin" | "stdout">,
  newId: () => string,
): CopilotConnection {
  /** Called when a session has a question for the user. */
  const questions = new Map<string, SessionConfig["onUserInputRequest"]>();

  const wire = openWire(program, (method, params) => {
    if (method !== "userInput.request") return undefined;
    const ask = questions.get(String(params["sessionId"]));
    return ask === undefined
      ? Promise.reject(new Error(`no session ${String(params["sessionId"])}`))
      : ask(questionOf(params));
  });
  const call: CallProgram = async <Answer extends object>(method: string, params: object) =>
    (await wire.request(method, params)) as Answer;

  async function openSession(method: string, sessionId: string, config: SessionConfig): Promise<CopilotSessionApi> {
    questions.set(sessionId, config.onUserInputRequest);
    const onLeft = (): void => void questions.delete(sessionId);
    try {
      return await openCopilotSessionApi({ wire, call, method, sessionId, config, onLeft });
    } catch (thrown) {
      onLeft();
      throw thrown;
    }
  }

  const api: CopilotApi = {
    async connect() {
      const said = await call<{ protocolVersion?: number }>("connect", {
        supportedTaskKinds: ["agent", "client", "shell"],
      });
      if (said.protocolVersion !== protocolVersion) {
        const version = said.protocolVersion ?? "none that it names";
        throw new Error(`it speaks protocol version ${version}, and ${protocolVersion} is needed.`);
      }
    },
    getStatus: () => call("status.get", {}),
    getAuthStatus: () => call("auth.getStatus", {}),
    listModels: async () => (await call<{ models?: ProgramModel[] }>("models.list", {})).models ?? [],
    createSession: ({ sessionId = newId(), ...config }) => openSession("session.create", sessionId, config),
    resumeSession: (sessionId, config) => openSession("session.resume", sessionId, config),
    rpc: {
      instructions: { discover: (request) => call("instructions.discover", request) },
      skills: { getDiscoveryPaths: (request) => call("skills.getDiscoveryPaths", request) },
      agents: { discover: (request) => call("agents.discover", request) },
    },
  };
  return { api, wire };
}

function questionOf(params: Fields): UserInputQuestion {
  const { question, choices, allowFreeform } = params;
  return {
    question: typeof question === "string" ? question : "",
    ...(Array.isArray(choices) && { choices: choices.map(String) }),
    ...(typeof allowFreeform === "boolean" && { allowFreeform }),
  };
}
