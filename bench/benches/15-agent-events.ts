// The cost of the port itself: 10,000 pieces of text from a driver that generates them, read as a turn, against the
// same pieces passed to the reader without a port.

import type { Figures, MeasureContext } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { perUnit } from "../harness/per-unit.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const pieces = 10_000;
/** How many arrive at once, as from one chunk of a stream. */
const atOnce = 20;
const maxNs = 2e3;

/** Calls `each` for every piece, in the rhythm of a stream. */
function stream(each: (text: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let sent = 0;
    const chunk = (): void => {
      for (const end = sent + atOnce; sent < end; sent++) each("eleven ch. ");
      if (sent < pieces) setImmediate(chunk);
      else resolve();
    };
    chunk();
  });
}

async function bare({ scale }: MeasureContext): Promise<Figures> {
  let chars = 0;
  return perUnit(scale, pieces, () => stream((text) => void (chars += text.length)));
}

async function port({ scale }: MeasureContext): Promise<Figures> {
  const { createGuardedSession } = await import("../../src/agents/guarded-session.ts");
  const { capabilitiesWithout } = await import("../../src/agents/capabilities.ts");
  const { systemClock } = await import("../../src/lib/clock.ts");
  const session = createGuardedSession({
    backend: { kind: "bench", capabilities: capabilitiesWithout({}) },
    open: { cwd: "/" },
    clock: systemClock,
    newId: () => crypto.randomUUID(),
    backendSession: {
      id: "session",
      model: undefined,
      isSameModel: () => true,
      async start(_prompt, sink) {
        await stream((text) => sink.emit({ type: "text.delta", messageId: "message", text }));
        sink.complete();
      },
      interrupt: () => {},
      abandon: () => {},
      compact: async () => ({}),
      contextUsage: async () => ({ usedTokens: 0 }),
      close: async () => {},
    },
  });
  return perUnit(scale, pieces, async () => {
    let chars = 0;
    for await (const event of session.turn("go")) if (event.type === "text.delta") chars += event.text.length;
    if (chars !== pieces * "eleven ch. ".length) throw new Error(`Only ${chars} characters came.`);
  });
}

export default defineBench({
  title: "10,000 pieces of text through the agent port",
  part: "agents",
  unit: "piece",
  rounds: { full: 5, quick: 1 },
  subjects: { bare: { measure: bare }, port: { measure: port } },
  rows: (measured) => [
    atMost(
      "10,000 pieces of text through the agent port: CPU of each, above the backend",
      measured.median("port", "cpuNs") - measured.median("bare", "cpuNs"),
      maxNs,
      duration,
    ),
  ],
});
