// Chats, as every front end opens them: agent, model and limits from what was chosen, the settings, or the record of the
// chat that is continued.

import type { BackendReport } from "../../agents/port.ts";
import type { CommandSource } from "../../commands/create-commands.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { RunApp } from "../run-app.ts";
import { parseAgentOrder } from "../agents.ts";
import { agentFrom, limitsFrom, type RunChoices } from "../runs/run-choices.ts";
import type { AppRuns } from "../runs/app-runs.ts";
import type { PreparePorts } from "../runs/prepare-run.ts";
import type { ChatMemory } from "./chat-memory.ts";
import type { Chat, ChatFacts, Chats } from "./chats.ts";
import type { FirstAgent } from "./first-agent.ts";
import type { LateChat } from "./late-chat.ts";
import { createLateFiles } from "./late-files.ts";
import type { ProjectFiles } from "./project-files.ts";
import type { ScreenFacts } from "./screen-facts.ts";

export interface ChatChoices extends Pick<
  RunChoices,
  "agent" | "model" | "script" | "record" | "limits" | "isTrusted"
> {
  /** Continue this chat, by its id, the start of it or @last, or the newest of the folder. */
  readonly continues?: { readonly id: string } | "newest" | undefined;
}

export interface AppChat {
  /** Nothing is asked of the agent before the first message. Throws RUN_NOT_FOUND, RUN_OWNED and USAGE. */
  open(choices: ChatChoices, ports?: PreparePorts): Promise<Chat>;
  /** Looks for agents' programs, for a chat without a chosen agent. */
  firstAgent(): Promise<FirstAgent>;
  /** What was typed before, in all folders. */
  memory(): Promise<ChatMemory>;
  /** Files and folders of the project, for completion. Reads nothing before `refresh`. */
  files(): ProjectFiles;
  /** `main ±3`, where the folder is a repository. */
  place(): Promise<string>;
  /** How a screen is meant to look, by the user's settings. Reads little else. */
  screen(): Promise<Pick<ScreenFacts, "theme" | "keys">>;
  /**
   * The chat for a screen that is shown before it is open. One that is continued is opened first: its screen shows what
   * was said.
   */
  openLate(choices: ChatChoices, ports?: PreparePorts): Promise<LateChat>;
}

export interface AppChatOptions {
  readonly app: () => Promise<RunApp>;
  readonly catalog: () => Promise<CommandSource>;
  readonly runs: AppRuns;
  readonly projectDir: string;
  readonly atomicHome: string;
  readonly now: () => number;
  readonly checkAgents: () => Promise<readonly BackendReport[]>;
  readonly screenFacts: () => Promise<ScreenFacts>;
}

export function createAppChat({
  app: load,
  catalog,
  runs,
  projectDir,
  atomicHome,
  now,
  checkAgents,
  screenFacts,
}: AppChatOptions): AppChat {
  async function chatsOf({ chatHost }: RunApp): Promise<Chats> {
    return (await import("./chats.ts")).createChats(chatHost);
  }

  async function earlier(app: RunApp, { continues }: ChatChoices): Promise<ChatFacts | undefined> {
    if (continues === undefined) return undefined;
    const chats = await chatsOf(app);
    if (continues !== "newest") return chats.facts(await runs.idOf(continues.id));
    const page = await app.runs.newest(projectDir, "chat");
    if (page !== undefined) return chats.facts(page.view.id);
    throw new AtomicError(
      "RUN_NOT_FOUND",
      `There is no chat in ${projectDir} to continue. Start one with \`atomic chat\`.`,
    );
  }

  return {
    async memory() {
      const [{ redact }, { createChatMemory }] = await Promise.all([screenFacts(), import("./chat-memory.ts")]);
      return createChatMemory({ atomicHome, projectDir, redact });
    },
    async firstAgent() {
      const { firstAgent } = await import("./first-agent.ts");
      return firstAgent(await checkAgents(), atomicHome);
    },
    files: () => createLateFiles(async () => (await import("./project-files.ts")).createProjectFiles(projectDir, now)),
    async place() {
      return (await import("./git-place.ts")).gitPlace(projectDir);
    },
    async screen() {
      const { theme, keys } = await screenFacts();
      return { theme, keys };
    },
    async openLate(choices, ports) {
      const [{ createLateChat }, settings] = await Promise.all([import("./late-chat.ts"), screenFacts()]);
      if (choices.continues !== undefined) {
        const chat = await open(choices, ports);
        return { chat, open: async () => undefined };
      }
      const first = {
        cwd: projectDir,
        agent:
          choices.agent ?? (choices.script === undefined ? (settings.agent?.split(",")[0] ?? "claude") : "scripted"),
        model: choices.model ?? settings.model,
        isProjectTrusted: false,
      };
      return createLateChat(first, () => open(choices, ports));
    },
    open,
  };

  async function open(
    choices: ChatChoices,
    { askTrust, onNotice = () => undefined }: PreparePorts = {},
  ): Promise<Chat> {
    const app = await load();
    const facts = await earlier(app, choices);
    // Of the order in the settings, a chat talks to the first.
    const [kind] = parseAgentOrder(app.settings.text("agent") ?? "claude");
    const settled = { kind, script: undefined };
    const agent = agentFrom(choices, facts === undefined ? settled : { kind: facts.agentKind, script: facts.script });
    if (agent.others !== undefined && agent.others.length > 0)
      throw new AtomicError("USAGE", "A chat talks to one agent. Choose it with -a, and leave the others out.");
    for (const { message, at } of app.settings.problems) onNotice(`${at}: ${message}`);
    const isTrustedForThisRun = choices.isTrusted === true;
    const where = facts === undefined ? {} : { cwd: facts.cwd };
    const project = app.openProject({ ...where, isTrustedForThisRun, agent: agent.kind, askTrust, onNotice });
    const { maxCostUsd, maxTokens } = limitsFrom(choices.limits ?? {}, app.limits);
    const chats = await chatsOf(app);
    return chats.open({
      agent: { ...agent, programs: app.programs },
      model: choices.model ?? facts?.model ?? app.settings.text("model"),
      limits: { maxCostUsd, maxTokens },
      project,
      catalog: await catalog(),
      // A workflow that is started in the chat asks where the chat does.
      runs: {
        ...runs,
        prepare: (options, ports) => runs.prepare(options, { askTrust, ...ports }),
        prepareResume: (options, ports) => runs.prepareResume(options, { askTrust, ...ports }),
      },
      id: facts?.id,
      isTrustedForThisRun,
    });
  }
}
