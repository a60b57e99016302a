// The chat screen: its first frame against an empty program of the same library, a long conversation while an agent
// writes 200 pieces a second, and doing nothing. In a terminal that `script` makes; on Bun, which the screen needs.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figures, MeasureContext, Row, Subject } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { untilItEnds, untilItShows } from "../harness/at-terminal.ts";
import { atMost } from "../harness/targets.ts";
import { bytes, duration } from "../harness/text.ts";

const screens = join(import.meta.dirname, "../screens");
const program = join(import.meta.dirname, "../.build/package/bin/atomic");
const bun = [process.execPath, "--no-env-file"];

async function screen(mode: "stream" | "idle", seconds: number, { folder }: MeasureContext): Promise<Figures> {
  const file = join(folder, "figures.json");
  const env = { HOME: folder, XDG_DATA_HOME: join(folder, "xdg"), NODE_ENV: "production" };
  await untilItEnds([...bun, join(screens, "chat-stream.tsx"), file, String(seconds), mode], { cwd: folder, env });
  return JSON.parse(readFileSync(file, "utf8")) as Figures;
}

const onBun = (measure: Subject["measure"]): Subject => ({ onlyOn: "bun", measure });

export default defineBench({
  title: "The chat screen",
  part: "program",
  unit: "frame",
  rounds: { full: 3, quick: 2 },
  subjects: {
    empty: onBun(async ({ folder }) => {
      const place = { cwd: folder, env: { HOME: folder, XDG_DATA_HOME: join(folder, "xdg"), NODE_ENV: "production" } };
      return { firstNs: await untilItShows([...bun, join(screens, "empty-screen.tsx")], "screen-is-ready", place) };
    }),
    atomic: onBun(async ({ folder }) => {
      const script = join(folder, "script.json");
      mkdirSync(join(folder, "p"));
      writeFileSync(script, JSON.stringify({ version: 1, turns: [{ steps: [{ say: "Hello." }] }] }));
      const place = { cwd: join(folder, "p"), env: { HOME: folder, XDG_DATA_HOME: join(folder, "xdg") } };
      return { firstNs: await untilItShows([program, "chat", "--script", script], "? keys", place) };
    }),
    stream: onBun((context) => screen("stream", context.scale === "full" ? 45 : 8, context)),
    idle: onBun((context) => screen("idle", context.scale === "full" ? 20 : 6, context)),
  },
  rows(measured): readonly Row[] {
    if (!measured.has("atomic")) return [];
    const share = measured.median("idle", "cpuShare");
    const rate = measured.median("stream", "framesPerSecond");
    return [
      atMost(
        "First frame of the chat, against an empty program of OpenTUI",
        measured.ratio("atomic", "empty", "firstNs"),
        1.3,
      ),
      {
        work: "2,000 lines, 200 updates a second: frames a second",
        target: "at least 25",
        measured: rate.toFixed(1),
        isMet: rate >= 25,
      },
      atMost(
        "2,000 lines, 200 updates a second: CPU of a frame",
        measured.median("stream", "frameCpuNs"),
        12e6,
        duration,
      ),
      atMost("… from a key to the screen, 95 of 100", measured.median("stream", "keyNs"), 50e6, duration),
      atMost("… memory gained in the last two thirds", measured.median("stream", "grownBytes"), 20e6, bytes),
      {
        work: "The chat, idle: CPU",
        target: "below 1 %",
        measured: `${(share * 100).toFixed(2)} %`,
        isMet: share < 0.01,
      },
    ];
  },
});
