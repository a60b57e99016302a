// A guarded session over a backend session that does nothing by itself, for tests: the test plays the program.

import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { capabilitiesWithout } from "../../src/agents/capabilities.ts";
import type { BackendSession, TurnSink } from "../../src/agents/backend-session.ts";
import type { AgentEvent } from "../../src/agents/events.ts";
import { createGuardedSession } from "../../src/agents/guarded-session.ts";
import type { OpenOptions, TurnOptions } from "../../src/agents/port.ts";

export const limits = {
  silenceMs: 100,
  toolMs: 1000,
  questionMs: 5000,
  interruptMs: 50,
  closeMs: 20,
  openMs: 1000,
  queryMs: 30,
  compactMs: 40,
};

export function setUp(
  overrides: Partial<BackendSession> = {},
  open: Partial<OpenOptions> = {},
  missing: Parameters<typeof capabilitiesWithout>[0] = {},
) {
  const clock = createFakeClock();
  const calls: string[] = [];
  const sinks: TurnSink[] = [];
  let ids = 0;
  const backendSession: BackendSession = {
    id: "s1",
    model: "asked-model",
    isSameModel: (asked, served) => asked === served,
    start(prompt, sink) {
      calls.push(`start ${prompt}`);
      sinks.push(sink);
    },
    interrupt: () => void calls.push("interrupt"),
    abandon: () => void calls.push("abandon"),
    compact: async () => ({}),
    contextUsage: async () => ({ usedTokens: 1 }),
    close: async () => void calls.push("close"),
    ...overrides,
  };
  const session = createGuardedSession({
    backend: { kind: "probe", capabilities: capabilitiesWithout(missing) },
    backendSession,
    open: { cwd: "/", limits, ...open },
    clock,
    newId: () => `id${++ids}`,
  });
  return { clock, calls, sinks, session };
}

export function read(events: AsyncIterable<AgentEvent>): { seen: AgentEvent[]; done: Promise<AgentEvent[]> } {
  const seen: AgentEvent[] = [];
  const done = (async () => {
    for await (const event of events) seen.push(event);
    return seen;
  })();
  return { seen, done };
}

export async function started(options: TurnOptions = {}, ...setup: Parameters<typeof setUp>) {
  const parts = setUp(...setup);
  const turn = read(parts.session.turn("go", options));
  await parts.clock.advance(0);
  const sink = parts.sinks[0];
  if (sink === undefined) throw new Error("the turn did not start");
  return { ...parts, ...turn, sink };
}

export const types = (events: readonly AgentEvent[]): string[] => events.map((event) => event.type);
export const last = (events: readonly AgentEvent[]): AgentEvent => events.at(-1) as AgentEvent;
