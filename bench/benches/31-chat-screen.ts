// The chat screen: its first frame against an empty program of the same library, a long conversation while an agent
// writes 200 pieces a second (with the same in Ink beside it), and what it costs while nothing happens. In a terminal
// that `script` makes; on Bun, which the screen needs.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figures, MeasureContext, Measured, Row, Subject } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { type AtTerminal, sharesOfCore, untilItEnds, untilItShows } from "../harness/at-terminal.ts";
import { atMost } from "../harness/targets.ts";
import { bytes, duration, times } from "../harness/text.ts";

const screens = join(import.meta.dirname, "../screens");
const program = join(import.meta.dirname, "../.build/package/bin/atomic");
const bun = [process.execPath, "--no-env-file"];

async function stream(screen: string, { folder, scale }: MeasureContext): Promise<Figures> {
  const file = join(folder, "figures.json");
  const seconds = scale === "full" ? "45" : "8";
  await untilItEnds([...bun, join(screens, screen), file, seconds], placeOf(folder));
  return JSON.parse(readFileSync(file, "utf8")) as Figures;
}

function placeOf(folder: string): AtTerminal {
  return { cwd: folder, env: { HOME: folder, XDG_DATA_HOME: join(folder, "xdg"), NODE_ENV: "production" } };
}

const turns = [
  { match: "wait", steps: [{ say: "I wait." }, { hang: true }] },
  { match: "plan", steps: [{ say: "I plan." }, { bash: "sleep 600" }] },
  { steps: [{ say: "Hello." }] },
];

/** The installed program in a project of its own. */
function chat(folder: string): { readonly command: readonly string[]; readonly place: AtTerminal } {
  const script = join(folder, "script.json");
  const project = join(folder, "p");
  mkdirSync(project);
  writeFileSync(script, JSON.stringify({ version: 1, turns }));
  const env = { HOME: folder, XDG_DATA_HOME: join(folder, "xdg") };
  return { command: [program, "chat", "--script", script], place: { cwd: project, env } };
}

/** By then the runtime has compiled the hot code. */
const laterS = 45;

/** The cost of showing something that does not change. */
async function still(
  typed: readonly { readonly keys: string; readonly shows: string }[],
  { folder, scale }: MeasureContext,
): Promise<Figures> {
  const { command, place } = chat(folder);
  const stretches = { seconds: scale === "full" ? 20 : 6, laterS };
  const shown = [{ keys: "", shows: "? keys" }, ...typed];
  const { first, later } = await sharesOfCore(command, shown, { ...place, ...stretches });
  return { firstShare: first, cpuShare: later };
}

const onBun = (measure: Subject["measure"]): Subject => ({ onlyOn: "bun", measure });
const f3 = "\x1bOR";

export default defineBench({
  title: "The chat screen",
  part: "screens",
  unit: "frame",
  rounds: { full: 5, quick: 2 },
  subjects: {
    empty: onBun(async ({ folder }) => {
      const screen = [...bun, join(screens, "empty-screen.tsx")];
      return { ...(await untilItShows(screen, "screen-is-ready", placeOf(folder))) };
    }),
    atomic: onBun(async ({ folder }) => {
      const { command, place } = chat(folder);
      return { ...(await untilItShows(command, "? keys", place)) };
    }),
    stream: { ...onBun((context) => stream("chat-stream.tsx", context)), isSlow: true },
    ink: { ...onBun((context) => stream("ink-stream.tsx", context)), isSlow: true },
    idle: { ...onBun((context) => still([], context)), isSlow: true },
    waiting: { ...onBun((context) => still([{ keys: "wait\r", shows: "I wait." }], context)), isSlow: true },
    watching: {
      ...onBun((context) =>
        still(
          [
            { keys: "/ralph --yolo plan\r", shows: "Started Ralph session" },
            { keys: f3, shows: "live ▶" },
          ],
          context,
        ),
      ),
      isSlow: true,
    },
  },
  rows(measured): readonly Row[] {
    if (!measured.has("atomic")) return [];
    return [
      atMost(
        "First frame of the chat, against an empty program of OpenTUI",
        measured.ratio("atomic", "empty", "wallNs"),
        1.3,
      ),
      {
        work: "… wall time of both; CPU of the one against the other",
        target: "",
        measured: [
          duration(measured.median("atomic", "wallNs")),
          duration(measured.median("empty", "wallNs")),
          times(measured.ratio("atomic", "empty", "cpuNs")),
        ].join(", "),
        isMet: undefined,
      },
      ...streamRows(measured),
      ...idleRows("The chat, idle", measured, "idle"),
      ...idleRows("The chat, waiting for an agent", measured, "waiting"),
      ...idleRows("Mission control of a run whose agent works", measured, "watching"),
    ];
  },
});

const conversation = "2,000 lines, 200 updates a second";

function streamRows(measured: Measured): readonly Row[] {
  const rate = measured.median("stream", "framesPerSecond");
  const ink = (figure: string): number => measured.median("ink", figure);
  return [
    {
      work: `${conversation}: frames a second`,
      target: "at least 25",
      measured: rate.toFixed(1),
      isMet: rate >= 25,
    },
    atMost(`${conversation}: CPU of a frame`, measured.median("stream", "frameCpuNs"), 12e6, duration),
    atMost("… from a key to the screen, 95 of 100", measured.median("stream", "keyNs"), 50e6, duration),
    atMost("… memory gained in the last two thirds", measured.median("stream", "grownBytes"), 20e6, bytes),
    {
      work: `${conversation}, in Ink: frames a second, CPU of a frame, key to screen, memory gained`,
      target: "",
      measured: [
        ink("framesPerSecond").toFixed(1),
        duration(ink("frameCpuNs")),
        duration(ink("keyNs")),
        bytes(ink("grownBytes")),
      ].join(", "),
      isMet: undefined,
    },
  ];
}

/** The cost from then on, which has the target; and the cost before, while the runtime compiles. */
function idleRows(work: string, measured: Measured, subject: string): readonly Row[] {
  const share = measured.median(subject, "cpuShare");
  const percent = (value: number): string => `${(value * 100).toFixed(2)} %`;
  return [
    { work: `${work}, after ${laterS} s: CPU`, target: "below 1 %", measured: percent(share), isMet: share < 0.01 },
    {
      work: "… just after it was opened",
      target: "",
      measured: percent(measured.median(subject, "firstShare")),
      isMet: undefined,
    },
  ];
}
