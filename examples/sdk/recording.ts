// Record what an agent does, and play it back without the agent: for tests, and to look at a problem again.

import { createRecordingClient, createReplayClient, openRecordingFile, readRecordingFile } from "atomic/agents";
import { scriptedAgent } from "atomic/testing";
import { agentNode, executeGraph, graph } from "atomic/workflows";

const ask = graph()
  .start(agentNode({ id: "ask", prompt: "What is new?" }))
  .compile();

const agent = createRecordingClient(scriptedAgent([{ steps: [{ say: "Comments are read." }] }]), {
  write: openRecordingFile("recording.jsonl"),
});
console.log((await executeGraph(ask, { client: agent })).state.outputs["ask"]);
await agent.close();

const replay = createReplayClient({ recording: readRecordingFile("recording.jsonl"), pace: "fast" });
console.log((await executeGraph(ask, { client: replay })).state.outputs["ask"]);
await replay.close();
