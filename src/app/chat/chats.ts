// The chats of a user: open a new one, continue one that is on record, list them. A chat is a run like any other to
// the store; only what it holds differs.

import { type Offer, offerTo } from "../../agents/offered-agents.ts";
import type { AgentClient } from "../../agents/port.ts";
import { chatWorkflow } from "../../chat/chat-event.ts";
import { type ChatView, emptyChat } from "../../chat/chat-view.ts";
import { foldRecord } from "../../chat/fold-record.ts";
import { readChatEvent } from "../../chat/chat-event.ts";
import { createCommands, type CommandSource } from "../../commands/create-commands.ts";
import type { CommandRegistry } from "../../commands/command-registry.ts";
import { endSentence } from "../../lib/end-sentence.ts";
import { AtomicError } from "../../lib/errors.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import type { AgentSpec } from "../agents.ts";
import { AgentRecorder } from "../../transcript/record-agents.ts";
import { TranscriptWriter } from "../../transcript/transcript-writer.ts";
import type { RunProject } from "../run-project.ts";
import { runOptions } from "../runs/run-options.ts";
import { openSandbox } from "../run-sandbox.ts";
import { readStartFacts } from "../start-facts.ts";
import { createConversation } from "./chat.ts";
import type { Conversation } from "./conversation.ts";
import type { ChatLimits } from "./chat-cap.ts";
import { type ChatLines, createChatLines } from "./chat-lines.ts";
import type { ChatHost } from "./chat-host.ts";
import { openChatRecord } from "./chat-record.ts";
import { type ChatWorkflowsOptions, createChatWorkflows } from "./chat-workflows.ts";
import { createChatSessions } from "./chat-session.ts";

export interface Chat
  extends
    ChatLines,
    Pick<
      Conversation,
      | "view"
      | "onChange"
      | "interrupt"
      | "answer"
      | "models"
      | "setModel"
      | "servers"
      | "switchServer"
      | "paused"
      | "close"
    > {
  readonly id: string;
  /** A notice in the conversation that is not kept. */
  show(text: string): void;
  /** For completion and help. */
  readonly commands: Pick<CommandRegistry, "search" | "get" | "all">;
  /** Where this chat keeps its files. */
  readonly dir: string;
}

export interface ChatOptions {
  readonly agent: Omit<AgentSpec, "processesDir" | "memoryDir">;
  readonly model: string | undefined;
  readonly limits: ChatLimits;
  readonly project: RunProject;
  readonly catalog: CommandSource;
  /** For workflows that are started in the chat. */
  readonly runs: ChatWorkflowsOptions["runs"];
  /** Continue this one. */
  readonly id?: string | undefined;
  /** `--trust`: also one that another user left where this one keeps theirs. */
  readonly isTrustedForThisRun?: boolean | undefined;
}

/** What a chat was started with, for the one that continues it. */
export interface ChatFacts {
  readonly id: string;
  readonly agentKind: string;
  readonly script: string | undefined;
  readonly model: string | undefined;
  readonly cwd: string;
}

export interface Chats {
  open(options: ChatOptions): Promise<Chat>;
  /** Throws RUN_NOT_FOUND and USAGE for a run that is not a chat. */
  facts(id: string): Promise<ChatFacts>;
}

export function createChats(host: ChatHost): Chats {
  const { store, clock, newId } = host;

  async function facts(written: string): Promise<ChatFacts> {
    const { id } = store.folder(written);
    const { workflow, agentKind, script, model, cwd } = await readStartFacts(id, store.read(id));
    if (workflow !== chatWorkflow) {
      const text = `Run ${id} is not a chat. Resume it with \`atomic resume ${id}\`.`;
      throw new AtomicError("USAGE", text, { details: { run: id } });
    }
    return { id, agentKind, script, model, cwd };
  }

  /** The state of the chat, and the last session of its agent. */
  async function read(
    first: ChatView,
    kind: string,
  ): Promise<{ readonly view: ChatView; readonly session: string | undefined; readonly seq: number | undefined }> {
    let view = first;
    let seq: number | undefined;
    let session: string | undefined;
    for await (const stored of store.read(first.id)) {
      view = foldRecord(view, stored);
      ({ seq } = stored);
      const event = readChatEvent(stored);
      if (event?.type === "chat.session-opened") session = event.agent === kind ? event.session : undefined;
      if (event?.type === "chat.cleared") session = undefined;
    }
    return { view, session, seq };
  }

  async function open(options: ChatOptions): Promise<Chat> {
    const { project, agent } = options;
    const known = options.id;
    const id = known ?? newId();
    if (known === undefined) host.own.note(id);
    else host.own.require(id, options.isTrustedForThisRun === true);
    const folder = store.folder(id);
    if (known !== undefined) await host.reap(folder.processes);
    // A chat has no trees; what the setting asks for holds for its agent as for those of runs.
    const place = { cwd: project.cwd, treesDir: `${folder.dir}/trees`, sessionDir: folder.dir };
    const sandbox = await openSandbox(host.makeSandbox, host.sandboxMode, place);
    const folders = { processesDir: folder.processes, memoryDir: folder.memory };
    const client = await host.makeAgent({ ...agent, ...folders, sandbox });
    try {
      return await connect(client);
    } catch (thrown) {
      await client.close();
      throw thrown;
    }

    async function connect(client: AgentClient): Promise<Chat> {
      const isProjectTrusted = project.isTrusted;
      const start = { id, cwd: project.cwd, agent: client.label, model: options.model, isProjectTrusted };
      const { view, session, seq } =
        known === undefined
          ? { view: emptyChat(start), session: undefined, seq: undefined }
          : await read(emptyChat(start), client.kind);
      let isRecorded = known !== undefined;
      /** The last event that was folded. */
      let lastSeq = known === undefined ? undefined : seq;
      const environment = lazily(() => project.environment());
      const transcript = new TranscriptWriter({ path: folder.transcript, clock, redact: host.redact });
      const recorder = new AgentRecorder((facts) => transcript.add(facts), clock);
      const conversation: Conversation = createConversation(
        { ...view, agent: client.label, model: options.model ?? view.model, isProjectTrusted },
        {
          client,
          clock,
          newId,
          redact: host.redact,
          createStreamRedactor: host.createStreamRedactor,
          limits: options.limits,
          onProgress: (progress) => recorder.take(progress),
          sessions: ({ record, notice }) =>
            createChatSessions({
              client,
              cwd: project.cwd,
              isProjectTrusted,
              limits: host.turnLimits,
              previous: session,
              async subagents() {
                const { subagents, refused } = offerTo(client, (await environment()).subagents ?? []);
                const text = refused && notOfferedText(client, refused);
                // Once for the whole chat: each session of it would be offered the same.
                if (text !== undefined && !isShown(conversation.view, text)) await notice(text);
                return subagents;
              },
              tools: async () => (await environment()).agentTools ?? [],
              onOpened: (session, isContinued) =>
                record({ type: "chat.session-opened", agent: client.kind, session, isContinued }),
              onForgotten: () =>
                notice("The agent can't continue its earlier session. It does not remember what was said before."),
            }),
          async openRecord(prompt, model, onEvent) {
            const facts = { id, prompt, model, client, script: agent.script, cwd: project.cwd, isProjectTrusted };
            const how = { isContinued: isRecorded, lastSeq };
            const record = await openChatRecord({ store, clock }, { ...facts, ...how }, (event) => {
              lastSeq = event.seq;
              onEvent(event);
            });
            isRecorded = true;
            return record;
          },
        },
      );
      // From here on the chat is this process's: another one that continues it is refused.
      if (known !== undefined) await conversation.resume();
      let models: ReturnType<Conversation["models"]> | undefined;
      const refresh = (): ReturnType<Conversation["models"]> => (models = conversation.models());
      const commands = createCommands(options.catalog, {
        models: { current: () => currentModel(conversation.view), list: () => models ?? refresh(), refresh },
        servers: conversation,
        activeWorkflow: () => workflows.active(),
        runOptions,
      });
      const workflows = createChatWorkflows({
        conversation,
        runs: options.runs,
        cwd: project.cwd,
        now: () => clock.now(),
        choices: () => ({
          agent: agent.kind,
          script: agent.script,
          model: conversation.view.model,
          isTrusted: options.isTrustedForThisRun,
        }),
      });
      const lines = createChatLines({
        conversation,
        commands,
        workflows,
        isPromptOnly: (name) =>
          options.catalog.workflows.some(({ info }) => info.name === name && info.form === "prompt"),
        newId,
        agent: async (name) => (await environment()).agent(name),
      });
      return {
        id,
        dir: folder.dir,
        commands,
        ...lines,
        get view() {
          return conversation.view;
        },
        show: (text) => conversation.show({ kind: "notice", id: `shown-${newId()}`, level: "warning", text }),
        onChange: conversation.onChange,
        interrupt: conversation.interrupt,
        answer: conversation.answer,
        models: () => models ?? refresh(),
        setModel: conversation.setModel,
        servers: conversation.servers,
        switchServer: conversation.switchServer,
        paused: conversation.paused,
        async close() {
          await conversation.close();
          transcript.close();
          // Looking for models may have left a folder; nothing was said in it.
          if (!isRecorded) removeFolder(folder.dir);
        },
      };
    }
  }

  return { open, facts };
}

function notOfferedText({ kind }: AgentClient, { agents, reason }: NonNullable<Offer["refused"]>): string {
  const example = `Call one yourself, for example /${agents[0] ?? ""}.`;
  return `${kind} can't be offered the sub-agents ${agents.join(", ")}: ${endSentence(reason)} ${example}`;
}

function isShown({ blocks }: ChatView, text: string): boolean {
  return blocks.some((block) => block.kind === "notice" && block.text === text);
}

function currentModel({ model, modelServed }: ChatView): string | undefined {
  return modelServed ?? model;
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
