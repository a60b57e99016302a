// The pages of the reference: which exports belong to which page, and a sentence for every function, class and value.
// The sample of a page, `examples/sdk/<name>.ts`, uses each of them.

export interface Topic {
  /** The name of the page and of its sample. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
  /** Functions, classes and values, in the order of the page. */
  readonly values: Readonly<Record<string, string>>;
  /** Files below src/ whose exported types belong here, besides those of the values. */
  readonly files: readonly string[];
}

export const topics: readonly Topic[] = [
  {
    name: "graphs",
    title: "Graphs",
    text: "A graph is a compiled, valid set of nodes and edges. Create one with the builder, or from data.",
    values: {
      graph: "Creates a builder. With annotations, TypeScript infers the type of the state.",
      GraphBuilder:
        "The builder that `graph` returns. A call that is not allowed throws at once and is named in the error.",
      compileGraphConfig: "Compiles a graph declared as data. One error lists all faults, each with its path.",
      CompiledGraph:
        "A graph that can be run. `CompiledGraph.is` recognizes one, even from another copy of the package.",
      fingerprintOf:
        "Returns the hash of a graph's ids, edges, state keys and state version. A recorded run can only be resumed with the same hash.",
    },
    files: ["workflows/graph/model/compiled-subgraph.ts", "workflows/graph/model/edge.ts"],
  },
  {
    name: "templates",
    title: "Templates",
    text: "Common kinds of workflows. Each returns a builder that you can extend, or compile as it is.",
    values: {
      sequential: "One node after the other.",
      mapReduce: "Splits the work, runs all parts in parallel, and combines the results.",
      reviewCycle: "Executes once, then reviews and fixes until the review passes.",
      taskLoop: "Plans, then works until no task in the state is open.",
    },
    files: [],
  },
  {
    name: "state",
    title: "State",
    text: "The state is JSON. Nodes return updates; a reducer combines each update with the current value.",
    values: {
      annotation:
        "Declares the default and the reducer of one key of the state. Without a reducer, an update replaces the value.",
      Reducers:
        "The built-in reducers: `replace`, `concat` (lists), `merge` (objects), `mergeById` (lists of objects with an id), `max`, `min`, `sum`, `or`, `and`, `ifDefined`.",
      AtomicStateAnnotation: "The annotations of the keys that every state has.",
    },
    files: ["lib/json.ts"],
  },
  {
    name: "nodes",
    title: "Nodes",
    text: "Nodes that need no agent. Every factory takes one object with `id`, or the id and an object with the rest.",
    values: {
      createNode:
        "Creates a node from your own function. It gets the whole context and returns `{ stateUpdate, goto }`.",
      toolNode:
        "Runs a function of the state, or a tool by name. The result goes to `outputs[id]`, unless `outputMapper` maps it.",
      customToolNode: "Runs a tool from `.atomic/tools` by name.",
      decisionNode: "Goes to the first target whose condition is true, else to the fallback.",
      createDecisionNode: "The same, with positional arguments.",
      parallelNode: "Runs branches in parallel; their updates are applied in the order of declaration.",
      mapNode: "Runs a node once for each item of a list.",
      subgraphNode: "Runs another graph with a separate state; takes a graph or the name of a workflow.",
    },
    files: ["workflows/graph/model/node.ts", "workflows/graph/model/worktree.ts"],
  },
  {
    name: "questions",
    title: "Questions",
    text: "Nodes that ask the user. Only the branch that asks waits.",
    values: {
      askUserNode: "Asks a question with options (one or several choices) or free text.",
      waitNode: "Asks a one-line question and waits for any answer.",
      createWaitNode: "The same, with positional arguments.",
    },
    files: ["workflows/graph/model/question.ts", "workflows/graph/run/run-control.ts"],
  },
  {
    name: "agent-nodes",
    title: "Agent nodes",
    text: "Nodes that ask an agent. Turns of the same session run one after the other and share its context.",
    values: {
      agentNode: "Runs a turn in a session of the run (`main` by default), with a prompt or as a named agent.",
      subagentNode: "Gives a task to a named sub-agent, in a separate session.",
      parallelSubagentNode: "Runs several sub-agents in parallel (by default four at a time).",
      skillNode: "Runs a turn with the prompt of a skill; `args` replaces `$ARGUMENTS`.",
      commandNode: "Runs a turn with the prompt of a command.",
      clearContextNode: "Clears the context of a session of the run.",
      contextMonitorNode: "Measures how full a session's context is, and compacts or clears it above a threshold.",
    },
    files: ["nodes/agent-turn.ts", "workflows/graph/model/bridge.ts"],
  },
  {
    name: "loops",
    title: "Loops",
    text: "Loops as nodes. For a loop over nodes of the graph itself, use the builder's `.loop`.",
    values: {
      criteriaLoopNode: "Repeats nodes until the last line of the last output is the completion signal.",
      taskLoopNode: "Runs nodes for each task in a tasks.json file, ordered by dependencies and priority.",
    },
    files: ["nodes/task-loop-config.ts", "tasks/tasks-json.ts", "tasks/workflow-task.ts"],
  },
  {
    name: "running",
    title: "Running graphs",
    text: "Run a compiled graph, watch it, pause, resume and cancel it.",
    values: {
      executeGraph: "Runs a graph. It reports failures and pauses in its result instead of throwing.",
      streamGraph:
        "Runs a graph as an async iterable with one entry per finished node. Leaving the loop pauses the run.",
      StreamRouter: "Streams what you choose: values, updates, custom events, or everything recorded.",
      pauseWith: "Creates a reason that pauses a run: pass it to `AbortController.abort`, or throw it in a node.",
      cancelRun: "Cancels a recorded run for good, whether a process runs it or not.",
      readEvent: "Parses a stored event into the union `RunEvent`. Never throws: an event it can't read is `unknown`.",
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
    text: "Everything a run gets from its host: agents, tools, workflows by name, a clock. Pass it to a run, or set defaults for all runs of the program.",
    values: {
      createRuntime: "Creates a runtime from the given parts, with defaults for the rest.",
      getDefaultRuntime: "Returns the runtime used by runs that don't set one.",
      setDefaultRuntime: "Changes parts of the default runtime.",
      setClientProvider: "Sets the agents of all graphs that are run without their own. `null` removes them.",
      setWorkflowResolver: "Sets the function that finds workflows by name, for subgraphs. `null` removes it.",
      getWorkflowResolver: "Returns the current resolver, or `null`.",
      resolveWorkflowRef: "Returns a workflow by name while a graph is being built. A cycle is an error.",
      systemClock: "The real clock. Tests pass a fake one.",
    },
    files: ["workflows/graph/model/agent-source.ts", "workflows/graph/model/client-source.ts"],
  },
  {
    name: "errors",
    title: "Errors",
    text: "[errors.md](../errors.md) lists every code, with what happened and what to do.",
    values: { AtomicError: "An error that a caller can act on, with a stable `code`." },
    files: [],
  },
  {
    name: "stores",
    title: "Stores",
    text: "A store keeps the journals of runs. All stores pass the same contract suite.",
    values: {
      MemorySaver: "Keeps runs in memory, for tests.",
      FileSaver: "Keeps runs in files, one folder per run.",
      SessionDirSaver: "Keeps runs in existing session folders, next to their other files.",
      ResearchDirSaver: "Keeps runs in the project's `research/checkpoints`.",
      SqliteSaver: "Keeps runs in SQLite; needs Bun, or Node 22.5 or later.",
      PostgresSaver: "Keeps runs in PostgreSQL, for use from several machines.",
      createCheckpointer: "Creates a store by the name of its kind.",
    },
    files: ["journal/port.ts"],
  },
  {
    name: "workflows",
    title: "Workflows",
    text: "A workflow is a graph with metadata, options and an initial state. A workflow file exports the same fields.",
    values: { executeWorkflow: "Runs a workflow the way `atomic run` does: recorded, limited and resumable." },
    files: ["workflows/definition.ts", "workflows/executor.ts"],
  },
  {
    name: "registry",
    title: "Registry",
    text: "Skills, commands and agents by name, as Claude Code, OpenCode, Copilot and Atomic keep them on disk.",
    values: {
      initializeWorkflowsSDK: "Finds everything on disk and fills the registry in which nodes look up names.",
      entityRegistry: "The registry that `initializeWorkflowsSDK` fills.",
      createEntityRegistry: "Creates an empty registry.",
      createNodeEntities: "Adapts a registry for use as `runtime.entities`.",
      getCommandHint: "Returns the hint for a command's arguments.",
      SubagentTypeRegistry: "Holds agents by name, in the form needed to start sub-agents.",
      getSubagentRegistry: "Returns the sub-agent registry in use.",
      setSubagentRegistry: "Replaces the sub-agent registry.",
      populateSubagentRegistry: "Registers the agents that were found, and returns their number.",
    },
    files: ["catalog/entities/entity.ts", "workflows/graph/model/entities.ts"],
  },
  {
    name: "agents",
    title: "Agents",
    text: "Clients of coding agents. [agents.md](../agents.md) describes what you can rely on.",
    values: {
      createAgentClient: "Creates a client by name, as in the option `-a`.",
      createClaudeClient: "Creates a client for Claude Code.",
      createOpencodeClient: "Creates a client for OpenCode.",
      createCopilotClient: "Creates a client for GitHub Copilot.",
      createAcpClient: "Creates a client for any program that speaks the Agent Client Protocol.",
      createSandbox:
        "Creates a sandbox that limits what a client's programs can write and reach; pass it as `sandbox`.",
      createScriptedClient: "Creates a client for the embedded agent, which plays a script.",
      loadScript: "Loads a script from a `.json`, `.jsonc` or `.ts` file.",
      parseScript: "Validates a script. One error lists all mistakes.",
    },
    files: ["agents/port.ts", "agents/process/backend-host.ts", "agents/process/sandbox/program-sandbox.ts"],
  },
  {
    name: "turns",
    title: "Turns",
    text: "One turn of an agent, for programs that drive an agent without a graph.",
    values: {
      isTerminal: "Returns whether an event ends its turn.",
      defineAgentTool: "Defines a tool of your program that the agent can call.",
      answer: "Creates a reply that gives every item of a question the same answer.",
      declined: "The reply that declines.",
      declineAll: "A handler that declines every question.",
      noUsage: "A usage of no tokens and no cost.",
      addUsage: "Adds two usages.",
      totalTokens: "Returns all tokens of a usage, for limits.",
      failureKinds: "The reasons why a turn can fail.",
      turnError: "Converts a failure to an error.",
      capabilityNames: "The names of all capabilities a backend can have.",
      defaultTurnLimits: "The default time limits of a turn.",
    },
    files: [],
  },
  {
    name: "recording",
    title: "Recording and replay",
    text: "`--record FILE` and `-a replay --script FILE`, from a program.",
    values: {
      createRecordingClient: "Wraps a client and records what it does.",
      openRecordingFile: "Starts a recording and returns a function that appends to it.",
      readRecordingFile: "Reads a recording.",
      createReplayClient: "Plays a recording. It changes no files, and uses the recorded answers to questions.",
    },
    files: [],
  },
  {
    name: "testing",
    title: "Testing",
    text: "For tests of workflows and nodes. It imports no test runner.",
    values: {
      scriptedAgent: "Creates a client for the embedded agent from a list of turns.",
      runNode: "Runs the body of one node and returns everything it did.",
      createFakeClock: "Creates a clock that moves only when a test advances it.",
      crashEverywhere: "Runs a graph with a crash after every record, and throws if a crash changes the result.",
      findCrashFailures: "The same, but returns the differences in a report instead of throwing.",
    },
    files: [],
  },
  {
    name: "contracts",
    title: "Contract suites",
    text: "The cases that Atomic's stores and agent backends pass, for your own stores and backends.",
    values: {
      journalContract: "The cases for a store.",
      journalCasesFor: "Returns the cases that a harness can run.",
      runJournalChild: "Runs the second process of the store suite.",
      agentContract: "The cases for an agent backend.",
    },
    files: ["testing/contracts/agent-harness.ts"],
  },
];
