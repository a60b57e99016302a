/** @jsxImportSource @opentui/react */
// The chat screen at work, in a terminal: 2,000 lines of conversation, and an agent that writes 200 pieces a second.
// chat-stream.tsx FILE SECONDS: writes its figures to the file.

import { createRoot } from "@opentui/react";
import { type ChatBlock, type ChatView, emptyChat } from "../../src/chat/chat-view.ts";
import { ChatScreen } from "../../src/tui/chat/chat-screen.tsx";
import { fakeChatPort } from "../../tests/support/tui/fake-chat-port.ts";
import { startHighlighting } from "../../src/tui/highlight/start-highlighting.ts";
import { createKeyTables } from "../../src/tui/keys/key-table.ts";
import { openRenderer } from "../../src/tui/terminal/open-renderer.ts";
import { themes } from "../../src/tui/theme.ts";
import { StreamFigures } from "./stream-figures.ts";

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
const { renderer } = await openRenderer({ environment: process.env });
const figures = new StreamFigures();
renderer.setFrameCallback(async () => figures.countFrame());
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
await figures.measure(file, lasts, piece, (pressed) =>
  process.stdin.emit("data", Buffer.from(pressed % 20 === 19 ? "\x15" : "x")),
);
renderer.destroy();
process.exit(0);
