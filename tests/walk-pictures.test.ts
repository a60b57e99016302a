// What the recorded walk makes of a terminal's picture: text, and an SVG. `npm run verify -- --only walk` plays it.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { drawSvg } from "../scripts/walk/draw-svg.ts";
import { frameText, parseStyledFrame } from "../scripts/walk/styled-frame.ts";

const docs = join(import.meta.dir, "../docs");

test("a captured frame is parsed into runs with their columns; a style lasts over the end of a line", () => {
  const frame = parseStyledFrame("\x1b[1m\x1b[38;2;125;207;255m漢 a\x1b[0m b \nx\x1b[48;5;234m\ny\x1b[m \n");

  expect(frameText(frame)).toBe("漢 a b\nx\ny");
  expect(frame[0]).toMatchObject([
    { text: "漢 a", column: 0, columns: 4, style: { fg: "#7dcfff", isBold: true } },
    { text: " b ", column: 4, columns: 3, style: { fg: undefined, isBold: false } },
  ]);
  expect(frame[2]?.[0]?.style.bg).toBe("#1c1c1c");
});

test("a style that the pictures do not know is an error, not a wrong picture", () => {
  expect(() => parseStyledFrame("\x1b[5mblinks")).toThrow("know no style 5");
});

test("an SVG has every run at its column, in its colours, with nothing of the text read as markup", () => {
  const frame = parseStyledFrame("\x1b[38;2;1;2;3ma <b>   c\x1b[7m&\x1b[0m");
  const svg = drawSvg({ frame, columns: 20, title: "A & B", foreground: "#ffffff", background: "#000000" });

  expect(svg).toContain("<title>A &amp; B</title>");
  expect(svg).toContain('<text x="14" y="28" textLength="42" fill="#010203">a &lt;b&gt;</text>');
  expect(svg).toContain('<text x="81.2" y="28" textLength="8.4" fill="#010203">c</text>');
  // Inverse: the colours change places.
  expect(svg).toContain('width="8.4" height="19" fill="#010203"');
  expect(svg).toContain('fill="#000000">&amp;</text>');
});

test("docs/walk.md shows every picture there is", () => {
  const walk = readFileSync(join(docs, "walk.md"), "utf8");
  const pictures = readdirSync(join(docs, "pictures"));

  expect(pictures.length).toBeGreaterThan(10);
  expect(pictures.filter((name) => !walk.includes(`](pictures/${name})`))).toEqual([]);
});
