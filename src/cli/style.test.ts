import { describe, expect, test } from "bun:test";
import { chooseStyle, paintLog, plainStyle } from "./style.ts";

function styleFor(environment: Record<string, string>, isTerminal = true, theme = "dark") {
  return chooseStyle({ isTerminal, theme, environment });
}

describe("colours", () => {
  test("are for terminals", () => {
    expect(styleFor({ TERM: "xterm" }).good("ok")).toBe("\x1b[32mok\x1b[39m");
    expect(styleFor({ TERM: "xterm" }, false)).toBe(plainStyle);
    expect(styleFor({ TERM: "dumb" })).toBe(plainStyle);
  });

  test("follow NO_COLOR, then FORCE_COLOR", () => {
    expect(styleFor({ NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(plainStyle);
    expect(styleFor({ FORCE_COLOR: "1" }, false)).not.toBe(plainStyle);
    expect(styleFor({ FORCE_COLOR: "0" })).toBe(plainStyle);
    expect(styleFor({ NO_COLOR: "" })).not.toBe(plainStyle);
  });

  test("leave out what can't be read on white", () => {
    const light = styleFor({}, true, "light");
    const codes = [light.accent("x"), light.warning("x")].join();
    for (const unreadable of ["[33m", "[36m"]) expect(codes).not.toContain(unreadable);
  });

  test("mark lines of a log by their first sign, and change no text", () => {
    const log = "▸ Planning\n✓ 1  One  (1 of 2 tasks)\n! failed\n  check x: exit 0\nCompleted";
    const painted = paintLog(log, styleFor({}));
    expect(painted.split("\n")[1]).toBe("\x1b[32m✓\x1b[39m 1  One  (1 of 2 tasks)");
    expect(Bun.stripANSI(painted)).toBe(log);
    expect(paintLog(log, plainStyle)).toBe(log);
  });
});
