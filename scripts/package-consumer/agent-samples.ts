// Agents from the packed package, as a program that installed it uses them: a client of every kind, handed to a run, set
// for all graphs, picked by a node; and the documents' samples that need an agent. Bundled without the package, run under
// Bun and Node. Arguments: a folder to work in, and the path of a program that speaks the Agent Client Protocol.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AgentClient,
  createAcpClient,
  createAgentClient,
  createClaudeClient,
  createCopilotClient,
  createOpencodeClient,
  createRecordingClient,
  createReplayClient,
  createScriptedClient,
  openRecordingFile,
  parseScript,
  readRecordingFile,
} from "atomic/agents";
import {
  agentNode,
  type BaseState,
  compileGraphConfig,
  executeGraph,
  executeWorkflow,
  graph,
  initializeWorkflowsSDK,
  setClientProvider,
  skillNode,
  subagentNode,
} from "atomic/workflows";
import { provideClients } from "../../tests/fixtures/documents/000-client-provider.ts";
import * as declarative from "../../tests/fixtures/documents/002-declarative-workflow.ts";
import createByName from "../../tests/fixtures/documents/003-node-resolvers.ts";

const [folder = "", acpProgram = ""] = process.argv.slice(2);
const [home, cwd] = [join(folder, "home"), join(folder, "project")];
for (const each of [home, cwd]) mkdirSync(each, { recursive: true });
const environment = { user: { PATH: process.env["PATH"], HOME: home } };
const backend = { environment, processesDir: join(folder, "processes") };
const agentOptions = { cwd, isProjectTrusted: true };

function scripted(say: string): AgentClient {
  const script = parseScript(
    { version: 1, turns: [{ steps: [{ write: { path: "said.txt", content: say } }, { say }] }] },
    "sample",
  );
  return createScriptedClient({ script, env: { PATH: process.env["PATH"] ?? "" } });
}

interface State extends BaseState {
  prompt: string;
}
const asks = graph<State>()
  .start(agentNode({ id: "ask", prompt: ({ prompt }) => `Do: ${prompt}` }))
  .compile();
const first = { prompt: "make tea" };

// A scripted client, handed to a run; what its agent did is on disk.
const tea = scripted("tea is made");
const made = await executeGraph(asks, { initialState: first, client: tea, agentOptions });
assert.equal(made.error, undefined);
assert.equal(made.state.outputs["ask"], "tea is made");
assert.equal(readFileSync(join(cwd, "said.txt"), "utf8"), "tea is made");

// Recorded, and played back.
const recordingFile = join(folder, "recording.jsonl");
const recording = createRecordingClient(tea, { write: openRecordingFile(recordingFile) });
await executeGraph(asks, { initialState: first, client: recording, agentOptions });
const replay = createReplayClient({ recording: readRecordingFile(recordingFile) });
const replayed = await executeGraph(asks, { initialState: first, client: replay, agentOptions });
assert.equal(replayed.state.outputs["ask"], "tea is made");

// A real program that speaks the Agent Client Protocol.
const acp = createAcpClient(`"${process.execPath}" "${acpProgram}"`, backend);
const spoken = await executeGraph(asks, { initialState: first, client: acp, agentOptions });
assert.equal(spoken.error, undefined);
assert.equal(spoken.state.outputs["ask"], "hello");
await acp.close();

// The three agents are not installed here: each says so, in a way a program can act on.
const missing = { ...backend, environment: { user: { PATH: "", HOME: home } }, packagesFrom: folder };
for (const client of [createClaudeClient(missing), createOpencodeClient(missing), createCopilotClient(missing)]) {
  assert.equal((await client.check()).isUsable, false);
  const failed = await executeGraph(asks, { initialState: first, client, agentOptions });
  assert.match(failed.error?.message ?? "", /was not found/, client.kind);
  await client.close();
}

// By name, from a file with comments.
const scriptFile = join(folder, "script.jsonc");
writeFileSync(scriptFile, '{ "version": 1, // one turn\n "turns": [{ "steps": [{ "say": "from a file" }] }], }');
const named = await createAgentClient("scripted", { ...backend, script: scriptFile });
const said = await executeGraph(asks, { initialState: first, client: named, agentOptions });
assert.equal(said.state.outputs["ask"], "from a file");

// 000: a default for all graphs, and an agent per node.
provideClients({ claude: scripted("Claude did"), opencode: scripted("OpenCode did") });
const mixed = graph<State>()
  .start(agentNode({ id: "usual", prompt: "Work" }))
  .then(agentNode({ id: "other", agentType: "opencode", prompt: "Work" }))
  .then(subagentNode({ id: "sub", agentType: "opencode", instruction: "Work" }))
  .compile();
assert.deepEqual((await mixed.execute(first)).outputs, {
  usual: "Claude did",
  other: "OpenCode did",
  sub: "OpenCode did",
});
const third = graph<State>()
  .start(agentNode({ id: "third", agentType: "copilot", prompt: "Work" }))
  .compile();
await assert.rejects(third.execute(first), /no client for the agent type "copilot"/);

// The next in the order takes over when the first can't be started.
const order = [createClaudeClient(missing), scripted("the second did")];
const switched = await executeGraph(asks, { initialState: first, client: order, agentOptions });
assert.equal(switched.state.outputs["ask"], "the second did");

// 003: skills, commands and agents by name, after initializeWorkflowsSDK() and no more wiring.
mkdirSync(join(cwd, ".claude/commands"), { recursive: true });
writeFileSync(join(cwd, ".claude/commands/review.md"), "---\ndescription: Reviews\n---\nReview $ARGUMENTS\n");
await initializeWorkflowsSDK({ projectPath: cwd, userPath: home });
setClientProvider(scripted("found and done"), agentOptions);
const byName = await createByName().execute(first);
assert.deepEqual(Object.keys(byName.outputs), ["skill-commit", "command-review", "debug"]);
const committed = await graph<State>()
  .start(skillNode({ skill: "commit" }))
  .compile()
  .execute(first);
assert.equal(committed.outputs["skill-commit"], "found and done");
await assert.rejects(
  graph<State>()
    .start(skillNode({ skill: "comit" }))
    .compile()
    .execute(first),
  /Skill not found: "comit" \(did you mean "commit"\?\)/,
);

// 002: the declarative sample, from its own first state to its end.
const started = declarative.createState({
  prompt: "make tea",
  sessionId: "0b9e1a54-6c3f-4d8a-9f5e-2f6f4d1c7a10",
  sessionDir: "sessions",
  maxIterations: 50,
  options: {},
  cwd,
});
const declared = await compileGraphConfig(declarative.graphConfig).execute(started);
assert.deepEqual(declared.outputs, { planner: "found and done", execute: "ran: make tea" });

// 002 as a workflow: a definition and a client; its record and its folder are below the home of the run.
const { name, description, graphConfig, createState } = declarative;
const dir = join(folder, "library");
const workflow = { client: scripted("planned"), prompt: "make tea", cwd, dir };
const executed = await executeWorkflow({ name, description, graphConfig, createState }, workflow);
assert.equal(executed.status, "completed", executed.message ?? "");
assert.deepEqual(executed.state["outputs"], { planner: "planned", execute: "ran: make tea" });
assert.match(readFileSync(join(executed.sessionDir, "session.json"), "utf8"), /"status": "completed"/);
