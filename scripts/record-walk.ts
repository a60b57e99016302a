// `npm run walk`: plays the recorded walk (scripts/walk/) and writes its frames as text to docs/walk.md and as pictures
// to docs/pictures/. `npm run walk -- --check` writes nothing and fails where they differ: they are then out of date.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { themes } from "../src/tui/theme.ts";
import { tmuxProgram } from "../tests/support/tui/tmux-server.ts";
import { drawSvg } from "./walk/draw-svg.ts";
import { playWalk, type WalkFrame } from "./walk/play-walk.ts";
import { size } from "./walk/walk-world.ts";
import { scriptOptions } from "./script-options.ts";

const docs = join(import.meta.dir, "../docs");
const pictures = "pictures";
const values = scriptOptions(import.meta.path, { check: { type: "boolean", default: false } });

if (tmuxProgram === null) {
  console.log("NO TMUX HERE: the walk was not played, so its frames and pictures were not checked.");
  process.exit(values.check ? 0 : 1);
}

const started = performance.now();
const frames = await playWalk();
const files = new Map<string, string>([
  ["walk.md", walkDocument(frames)],
  ...frames.map((frame): [string, string] => [`${pictures}/${frame.name}.svg`, pictureOf(frame)]),
]);

if (values.check) {
  const stale = [...files].filter(([file, content]) => readIfThere(file) !== content);
  for (const [file, content] of stale) explain(file, content);
  const extra = readdirSync(join(docs, pictures)).filter((name) => !files.has(`${pictures}/${name}`));
  for (const name of extra) console.error(`docs/${pictures}/${name} is not a picture of the walk.`);
  if (stale.length + extra.length > 0) {
    console.error("\nThe recorded walk is out of date. Run `npm run walk`, look at what changed, and commit it.");
    process.exit(1);
  }
} else {
  rmSync(join(docs, pictures), { recursive: true, force: true });
  mkdirSync(join(docs, pictures));
  for (const [file, content] of files) writeFileSync(join(docs, file), content);
}
console.log(`${frames.length} frames in ${((performance.now() - started) / 1000).toFixed(1)} s`);

function pictureOf({ frame, title }: WalkFrame): string {
  const { foreground, background } = themes.dark;
  return drawSvg({ frame, title, columns: size.columns, foreground, background });
}

function walkDocument(all: readonly WalkFrame[]): string {
  const parts = all.map(({ name, title, text }, i) =>
    [
      `## ${i + 1}. ${title}\n`,
      `![${title}](${pictures}/${name}.svg)\n`,
      "<details><summary>As text</summary>\n",
      `\`\`\`\n${text}\n\`\`\`\n`,
      "</details>\n",
    ].join("\n"),
  );
  return [
    "# A walk through the terminal UI\n",
    "Recorded by `npm run walk`: the real program in tmux, with the embedded agent, which plays a script. Times come from a clock that the script controls, and ids are replaced. [chat.md](chat.md) and [terminal-ui.md](terminal-ui.md) explain the screens.\n",
    ...parts,
  ].join("\n");
}

/** The first line that differs, which says most. */
function explain(file: string, content: string): void {
  const before = readIfThere(file)?.split("\n");
  if (before === undefined) return console.error(`docs/${file} does not exist.`);
  const now = content.split("\n");
  const at = now.findIndex((line, i) => line !== before[i]);
  const row = at === -1 ? now.length : at;
  console.error(`docs/${file}:${row + 1}\n- ${before[row] ?? "(end)"}\n+ ${now[row] ?? "(end)"}`);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(join(docs, file), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
