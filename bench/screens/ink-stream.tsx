/** @jsxImportSource react */
// The conversation of chat-stream.tsx in Ink, as one writes it there: the lines in a box that cuts off what does not fit,
// the newest at the bottom, and an input below.
// ink-stream.tsx FILE SECONDS: writes its figures to the file.

import { writeFileSync } from "node:fs";
import { Box, render, Text, useInput } from "ink";
import { useState } from "react";

const [file = "", seconds = "5"] = process.argv.slice(2);
const lasts = Number(seconds) * 1000;
const paragraph = "Some **text** of an answer with `code` in it, about as long as a line of a terminal.\n\n";
const first = Array.from({ length: 200 }, () => paragraph.repeat(5));
let show: (view: { readonly blocks: readonly string[]; readonly live: string }) => void = () => undefined;
let pressedAt: number | undefined;
const latencies: number[] = [];

function Chat() {
  const [view, setView] = useState<{ readonly blocks: readonly string[]; readonly live: string }>({
    blocks: first,
    live: "",
  });
  const [typed, setTyped] = useState("");
  show = setView;
  useInput((input) => setTyped((before) => (before.length > 20 ? "" : before + input)));
  return (
    <Box flexDirection="column" width={120} height={39}>
      <Box flexDirection="column" flexGrow={1} overflow="hidden" justifyContent="flex-end">
        {view.blocks.map((text, i) => (
          <Box key={i} flexShrink={0}>
            <Text>{text}</Text>
          </Box>
        ))}
        <Box flexShrink={0}>
          <Text>{view.live}</Text>
        </Box>
      </Box>
      <Text>{`❯ ${typed}`}</Text>
    </Box>
  );
}

let frames = 0;
const app = render(<Chat />, {
  maxFps: 30,
  exitOnCtrlC: false,
  onRender() {
    frames++;
    if (pressedAt === undefined) return;
    latencies.push(performance.now() - pressedAt);
    pressedAt = undefined;
  },
});
await new Promise((resolve) => setTimeout(resolve, 1500));
let blocks: readonly string[] = first;
let text = "";
const writing = setInterval(() => {
  text += "word ";
  if (text.length > 400) {
    text = "";
    blocks = [...blocks, paragraph];
  }
  show({ blocks, live: text });
}, 5);
const typing = setInterval(() => {
  if (pressedAt !== undefined) return;
  pressedAt = performance.now();
  process.stdin.push("x");
}, 211);
const [from, cpu, before] = [performance.now(), process.cpuUsage(), frames];
let early = 0;
setTimeout(() => (early = process.memoryUsage().rss), lasts / 3);
await new Promise((resolve) => setTimeout(resolve, lasts));
const { user, system } = process.cpuUsage(cpu);
const drawn = frames - before;
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
app.unmount();
process.exit(0);
