/** @jsxImportSource react */
// The conversation of chat-stream.tsx in Ink, as one writes it there: the lines in a box that cuts off what does not fit,
// the newest at the bottom, and an input below.
// ink-stream.tsx FILE SECONDS: writes its figures to the file.

import { Box, render, Text, useInput } from "ink";
import { useState } from "react";
import { StreamFigures } from "./stream-figures.ts";

const [file = "", seconds = "5"] = process.argv.slice(2);
const lasts = Number(seconds) * 1000;
const paragraph = "Some **text** of an answer with `code` in it, about as long as a line of a terminal.\n\n";
const first = Array.from({ length: 200 }, () => paragraph.repeat(5));
let show: (view: { readonly blocks: readonly string[]; readonly live: string }) => void = () => undefined;

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

const figures = new StreamFigures();
const app = render(<Chat />, { maxFps: 30, exitOnCtrlC: false, onRender: () => figures.countFrame() });
await new Promise((resolve) => setTimeout(resolve, 1500));
let blocks: readonly string[] = first;
let text = "";
await figures.measure(
  file,
  lasts,
  () => {
    text += "word ";
    if (text.length > 400) {
      text = "";
      blocks = [...blocks, paragraph];
    }
    show({ blocks, live: text });
  },
  () => process.stdin.push("x"),
);
app.unmount();
process.exit(0);
