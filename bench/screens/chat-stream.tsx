/** @jsxImportSource @opentui/react */
// The chat screen at work, in a terminal: 2,000 lines of conversation, and an agent that writes 200 pieces a second.
// chat-stream.tsx FILE SECONDS: writes its figures to the file.

import { writeFileSync } from "node:fs";
import { createCliRenderer } from "@opentui/core";
import { createRoot } from "@opentui/react";
import { type ChatBlock, type ChatView, emptyChat } from "../../src/chat/chat-view.ts";
import { ChatScreen } from "../../src/tui/chat/chat-screen.tsx";
import { fakeChatPort } from "../../tests/support/tui/fake-chat-port.ts";
import { startHighlighting } from "../../src/tui/highlight/start-highlighting.ts";
import { createKeyTables } from "../../src/tui/keys/key-table.ts";
import { rendererOptions } from "../../src/tui/terminal/guard.ts";
import { themes } from "../../src/tui/theme.ts";

const [file = "", seconds = "5"] = process.argv.slice(2);
const lasts = Number(seconds) * 1000;
const paragraph = "Some **text** of an answer with `code` in it, about as long as a line of a terminal.\n\n";
const blocks = Array.from({ length: 200 }, (_, i): ChatBlock => ({
  kind: i % 10 === 0 ? "person" : "said",
  id: `b${i}`,
  text: paragraph.repeat(5),
}));
const quiet: ChatView = {
  ...emptyChat({ id: "c", cwd: "/projects/parser", agent: "bench", model: "none", isProjectTrusted: true }),
  blocks,
};
const { port, show } = fakeChatPort(quiet, { now: () => Date.now() });
const renderer = await createCliRenderer({ ...rendererOptions, exitSignals: [] });
let frames = 0;
let pressedAt: number | undefined;
const latencies: number[] = [];
renderer.setFrameCallback(async () => {
  frames++;
  if (pressedAt === undefined) return;
  latencies.push(performance.now() - pressedAt);
  pressedAt = undefined;
});
createRoot(renderer).render(
  <ChatScreen
    port={port}
    table={createKeyTables().chat}
    theme={themes.dark}
    highlighting={startHighlighting()}
    onExit={() => undefined}
  />,
);
// The first frames lay two thousand lines out; that is measured elsewhere.
await new Promise((resolve) => setTimeout(resolve, 1500));
let text = "";
let part = 0;
const piece = (): void => {
  text += "word ";
  if (text.length > 400) {
    text = "";
    part++;
    blocks.push({ kind: "said", id: `n${part}`, text: paragraph });
  }
  const live: ChatBlock = { kind: "said", id: `live${part}`, text };
  show({ ...quiet, blocks: [...blocks], live: [live], turn: { id: "t", startedAt: 0, phase: "working" } });
};
const writing = setInterval(piece, 5);
const typing = setInterval(() => {
  if (pressedAt !== undefined) return;
  pressedAt = performance.now();
  process.stdin.emit("data", Buffer.from(latencies.length % 20 === 19 ? "\x15" : "x"));
}, 211);
const [from, cpu, first] = [performance.now(), process.cpuUsage(), frames];
let early = 0;
setTimeout(() => (early = process.memoryUsage().rss), lasts / 3);
await new Promise((resolve) => setTimeout(resolve, lasts));
const { user, system } = process.cpuUsage(cpu);
const drawn = frames - first;
const took = performance.now() - from;
clearInterval(writing);
clearInterval(typing);
const sorted = latencies.toSorted((a, b) => a - b);
writeFileSync(
  file,
  JSON.stringify({
    framesPerSecond: (drawn * 1000) / took,
    frameCpuNs: drawn === 0 ? 0 : ((user + system) * 1e3) / drawn,
    keyNs: (sorted[Math.floor(sorted.length * 0.95)] ?? 0) * 1e6,
    grownBytes: process.memoryUsage().rss - early,
  }),
);
renderer.destroy();
process.exit(0);
