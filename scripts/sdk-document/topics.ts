// The pages of the reference: what belongs to which, and a sentence for every function, class and value. The sample of a
// page is `examples/sdk/<name>.ts`; it uses each of them.

export interface Topic {
  /** Of the page and of its sample. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  /** Functions, classes and values, in the order of the page. */
  readonly values: Readonly<Record<string, string>>;
  /** Files whose exported types belong here, below src/; those that a value comes from need no mention. */
  readonly files: readonly string[];
}

export const topics: readonly Topic[] = [
  {
    name: "graphs",
    title: "Graphs",
    text: "A graph is nodes and edges, compiled and valid. Build it with the builder, or give it as data.",
    values: {
      graph: "Starts a builder. With annotations, the type of the state follows from them.",
      GraphBuilder: "What `graph` returns. Each call checks its own use and throws at once, naming the call.",
      compileGraphConfig: "Compiles a graph that is given as data. All faults come in one error, each with its path.",
      CompiledGraph: "A graph that can be run. `CompiledGraph.is` recognises one, also of another copy of the package.",
      fingerprintOf: "The hash of a graph's ids, edges, state keys and state version: what a recorded run belongs to.",
    },
    files: ["workflows/graph/model/compiled-subgraph.ts", "workflows/graph/model/edge.ts"],
  },
  {
    name: "templates",
    title: "Templates",
    text: "Common shapes of workflows. Each returns a builder, to be extended or compiled as it is.",
    values: {
      sequential: "One node after the other.",
      mapReduce: "Splits, works on all parts at the same time, and brings them together.",
      reviewCycle: "Executes once, then reviews and fixes until the review is satisfied.",
      taskLoop: "Plans, then works until no task in the state is open.",
    },
    files: [],
  },
  {
    name: "state",
    title: "State",
    text: "The state is JSON. Nodes return what changes; a reducer folds it into what is there.",
    values: {
      annotation: "The default and the reducer of one key of the state. Without a reducer, updates replace.",
      Reducers:
        "The built-in reducers: `replace`, `concat` (lists), `merge` (objects), `mergeById` (lists of objects with an id), `max`, `min`, `sum`, `or`, `and`, `ifDefined`.",
      AtomicStateAnnotation: "The annotations of the keys that every state has.",
    },
    files: ["lib/json.ts"],
  },
  {
    name: "nodes",
    title: "Nodes",
    text: "Nodes that need no agent. Every factory takes one object with `id`, or the id and the rest.",
    values: {
      createNode: "A node with a body of your own. It gets the whole context and returns `{ stateUpdate, goto }`.",
      toolNode: "Runs a function of the state, or a tool by name. The result is in `outputs[id]` unless mapped.",
      customToolNode: "Runs a tool of `.atomic/tools` by name.",
      decisionNode: "Goes to the first target whose condition holds, else to the fallback.",
      createDecisionNode: "The same, with its parts as arguments.",
      parallelNode: "Runs branches at the same time; their updates are folded in the order declared.",
      mapNode: "Runs a node once for each item of a list.",
      subgraphNode: "Runs another graph, by value or by the name of a workflow, with a state of its own.",
    },
    files: ["workflows/graph/model/node.ts", "workflows/graph/model/worktree.ts"],
  },
  {
    name: "questions",
    title: "Questions",
    text: "Nodes that ask a person. Only the branch that asks waits.",
    values: {
      askUserNode: "Asks a question, with options, several choices or free text.",
      waitNode: "Asks a question in one line, and waits for any answer.",
      createWaitNode: "The same, with its parts as arguments.",
    },
    files: ["workflows/graph/model/question.ts", "workflows/graph/run/run-control.ts"],
  },
  {
    name: "agent-nodes",
    title: "Agent nodes",
    text: "Nodes that ask an agent. Turns of one session queue and share its context.",
    values: {
      agentNode: "A turn in a session of the run (`main` unless named), with a prompt or as a named agent.",
      subagentNode: "A named sub-agent takes a task in a session of its own.",
      parallelSubagentNode: "Several sub-agents at the same time, four unless set otherwise.",
      skillNode: "A turn with the prompt of a skill; `$ARGUMENTS` becomes `args`.",
      commandNode: "A turn with the prompt of a command.",
      clearContextNode: "Starts a session of the run afresh.",
      contextMonitorNode: "Measures how full a session's context is, and compacts or clears it above a threshold.",
    },
    files: ["nodes/agent-turn.ts", "workflows/graph/model/bridge.ts"],
  },
  {
    name: "loops",
    title: "Loops",
    text: "Loops as nodes. For a loop over nodes of the graph itself, use `.loop` of the builder.",
    values: {
      criteriaLoopNode: "Repeats nodes until the last line of the last output is the completion signal.",
      taskLoopNode: "Runs nodes for each task of a tasks.json, in the order of dependencies and priorities.",
    },
    files: ["nodes/task-loop-config.ts", "tasks/tasks-json.ts", "tasks/workflow-task.ts"],
  },
  {
    name: "running",
    title: "Running graphs",
    text: "Run a compiled graph, watch it, pause, resume and cancel it.",
    values: {
      executeGraph: "Runs a graph. It reports failures and pauses in its result instead of throwing.",
      streamGraph: "Runs a graph as an async iterable with one entry per finished node. Leaving the loop pauses it.",
      StreamRouter: "The same, with what you ask for: values, updates, custom events, everything recorded.",
      pauseWith: "The reason for `AbortController.abort`, or to throw in a node, that pauses a run.",
      cancelRun: "Cancels a recorded run for good, whether a process runs it or not.",
      readEvent: "Turns a stored event into the union `RunEvent`. Never throws: what it can't read is `unknown`.",
    },
    files: [
      "events/engine-events.ts",
      "events/reported-events.ts",
      "workflows/graph/run/execute-options.ts",
      "workflows/graph/model/step-result.ts",
      "workflows/graph/record/warnings.ts",
    ],
  },
  {
    name: "runtime",
    title: "Runtime",
    text: "What a run gets from outside. Pass it to a run; the setters are defaults for programs that run many.",
    values: {
      createRuntime: "A runtime from some of its parts; the rest has defaults.",
      getDefaultRuntime: "The runtime of runs that bring none.",
      setDefaultRuntime: "Changes parts of it.",
      setClientProvider: "The agents of all graphs that are run without their own. `null` removes them.",
      setWorkflowResolver: "Finds workflows by name, for subgraphs. `null` removes it.",
      getWorkflowResolver: "What was set, or `null`.",
      resolveWorkflowRef: "A workflow by name while a graph is being built. A cycle is an error.",
      systemClock: "The real clock; tests pass another one.",
    },
    files: ["workflows/graph/model/agent-source.ts", "workflows/graph/model/client-source.ts"],
  },
  {
    name: "errors",
    title: "Errors",
    text: "[errors.md](../errors.md) has every code, with what happened and what to do.",
    values: { AtomicError: "An error that a caller can act on, with a stable `code`." },
    files: [],
  },
  {
    name: "stores",
    title: "Stores",
    text: "A store keeps the journals of runs. All of them pass the same contract suite.",
    values: {
      MemorySaver: "In memory, for tests.",
      FileSaver: "In files: one folder per run.",
      SessionDirSaver: "In the session folders of others, beside their files.",
      ResearchDirSaver: "In `research/checkpoints` of the project.",
      SqliteSaver: "In SQLite: Bun, or Node from 22.5 on.",
      PostgresSaver: "In PostgreSQL, for several machines.",
      createCheckpointer: "A store by the name of its kind.",
    },
    files: ["journal/port.ts"],
  },
  {
    name: "workflows",
    title: "Workflows",
    text: "A workflow is a graph with metadata, options and a first state. A workflow file exports the same fields.",
    values: { executeWorkflow: "Runs a workflow as `atomic run` does: recorded, limited, resumable." },
    files: ["workflows/definition.ts", "workflows/executor.ts"],
  },
  {
    name: "registry",
    title: "Registry",
    text: "Skills, commands and agents by name, as Claude Code, OpenCode, Copilot and Atomic keep them on disk.",
    values: {
      initializeWorkflowsSDK: "Finds everything on disk and fills the registry that nodes look names up in.",
      entityRegistry: "That registry.",
      createEntityRegistry: "An empty one of your own.",
      createNodeEntities: "A registry as `runtime.entities`.",
      getCommandHint: "What may follow the name of a command.",
      SubagentTypeRegistry: "Agents by name, in the form that starting sub-agents needs.",
      getSubagentRegistry: "The one that is in use.",
      setSubagentRegistry: "Replaces it.",
      populateSubagentRegistry: "Registers agents that were found, and returns how many.",
    },
    files: ["catalog/entities/entity.ts", "workflows/graph/model/entities.ts"],
  },
  {
    name: "agents",
    title: "Agents",
    text: "Clients of coding agents. [agents.md](../agents.md) says what you can rely on.",
    values: {
      createAgentClient: "A client by name, as `-a` takes it.",
      createClaudeClient: "Claude Code.",
      createOpencodeClient: "OpenCode.",
      createCopilotClient: "GitHub Copilot.",
      createAcpClient: "Any program that speaks the Agent Client Protocol.",
      createSandbox: "What the programs of a client may write and reach: pass it as `sandbox`.",
      createScriptedClient: "The embedded agent, which plays a script.",
      loadScript: "A script from a `.json`, `.jsonc` or `.ts` file.",
      parseScript: "Checks a script. All mistakes come in one error.",
    },
    files: ["agents/port.ts", "agents/process/backend-host.ts", "agents/process/sandbox/program-sandbox.ts"],
  },
  {
    name: "turns",
    title: "Turns",
    text: "What happens in one turn of an agent, for programs that drive an agent without a graph.",
    values: {
      isTerminal: "Whether an event ends its turn.",
      defineAgentTool: "A tool of your program that the agent may call.",
      answer: "The reply that gives every item of a question the same answer.",
      declined: "The reply that declines.",
      declineAll: "A handler that declines every question.",
      noUsage: "No tokens and no cost.",
      addUsage: "The sum of two usages.",
      totalTokens: "All tokens of a usage, for limits.",
      failureKinds: "Why a turn can fail.",
      turnError: "A failure as an error.",
      capabilityNames: "What a backend may or may not be able to do.",
      defaultTurnLimits: "How long an agent is waited for, unless you say otherwise.",
    },
    files: [],
  },
  {
    name: "recording",
    title: "Recording and replay",
    text: "`--record FILE` and `-a replay --script FILE`, from a program.",
    values: {
      createRecordingClient: "A client that writes down what another one does.",
      openRecordingFile: "Starts a recording, and returns the function that appends to it.",
      readRecordingFile: "Reads a recording.",
      createReplayClient: "Plays a recording. It touches nothing, and gives questions the recorded answers.",
    },
    files: [],
  },
  {
    name: "testing",
    title: "Testing",
    text: "For tests of workflows and nodes. It imports no test runner.",
    values: {
      scriptedAgent: "The embedded agent, from a list of turns.",
      runNode: "Runs the body of one node, and returns everything it did.",
      createFakeClock: "A clock that moves only when a test says so.",
      crashEverywhere: "Runs a graph with a crash after every record, and throws when one changes what comes out.",
      findCrashFailures: "The same, with the differences in its report.",
    },
    files: [],
  },
  {
    name: "contracts",
    title: "Contract suites",
    text: "For stores and agent backends of your own: the cases that ours pass.",
    values: {
      journalContract: "The cases for a store.",
      journalCasesFor: "Those that a harness can run.",
      runJournalChild: "What the other process of the suite does.",
      agentContract: "The cases for an agent backend.",
    },
    files: ["testing/contracts/agent-harness.ts"],
  },
];
