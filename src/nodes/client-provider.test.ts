import { expect, test } from "bun:test";
import { agentNode, type BaseState, executeGraph, graph } from "atomic/workflows";
import { scriptedAgent } from "../testing/scripted-agent.ts";

interface State extends BaseState {
  prompt: string;
}

const says = (text: string) => scriptedAgent([{ steps: [{ say: text }] }]);

test("clientProvider of a node gives the client of its turns, and the other nodes keep that of the run", async () => {
  const asked: string[] = [];
  const own = agentNode<State>({
    id: "own",
    prompt: "p",
    agentType: "opencode",
    clientProvider: (agentType) => {
      asked.push(agentType);
      return says("the node's own");
    },
  });
  const shared = agentNode<State>({ id: "shared", prompt: "p" });
  const { status, state } = await executeGraph(graph<State>().start(own).then(shared).compile(), {
    initialState: { prompt: "" },
    client: says("the run's"),
  });
  expect({ status, outputs: state.outputs, asked }).toEqual({
    status: "completed",
    outputs: { own: "the node's own", shared: "the run's" },
    asked: ["opencode"],
  });
});

test("clientProvider of a node is enough where the run has no client", async () => {
  const node = agentNode<State>({ id: "alone", prompt: "p", clientProvider: () => says("here") });
  const { state } = await executeGraph(graph<State>().start(node).compile(), { initialState: { prompt: "" } });
  expect(state.outputs).toEqual({ alone: "here" });
});

test("clientProvider that has no client fails the node and names the type", async () => {
  const node = agentNode<State>({ id: "none", prompt: "p", agentType: "copilot", clientProvider: () => null });
  const { status, error } = await executeGraph(graph<State>().start(node).compile(), { initialState: { prompt: "" } });
  expect({ status, code: error && "code" in error ? error.code : undefined }).toEqual({
    status: "failed",
    code: "RUNTIME_MISSING",
  });
  expect(error?.message).toContain('There is no client for the agent type "copilot"');
});
