import { describe, expect, test } from "bun:test";
import { AtomicError } from "../lib/errors.ts";
import { createIo } from "./io.ts";

/** Takes what is written, at most `pieces` bytes at a time, and fails as given. */
function sink(failures: readonly (string | undefined)[] = [], pieces = 7) {
  const written: Record<number, string> = { 1: "", 2: "" };
  const left = [...failures];
  return {
    written,
    write(fd: number, bytes: Uint8Array): number {
      const code = left.shift();
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      const piece = bytes.subarray(0, pieces);
      written[fd] += new TextDecoder("latin1").decode(piece);
      return piece.length;
    },
  };
}

describe("printing", () => {
  test("writes all of it, in as many calls as the system wants", () => {
    const { write, written } = sink();
    const io = createIo({ write });
    io.print("a long line of text");
    io.print("two\nlines");
    io.warn("trouble");
    expect(written).toEqual({ 1: "a long line of text\ntwo\nlines\n", 2: "trouble\n" });
  });

  test("waits for a slow reader instead of losing text", () => {
    const { write, written } = sink([undefined, "EAGAIN", "EAGAIN"]);
    createIo({ write }).print("a long line of text");
    expect(written[1]).toBe("a long line of text\n");
  });

  test("drops the rest when the reader is gone, and continues", () => {
    const { write, written } = sink([undefined, "EPIPE"]);
    const io = createIo({ write });
    io.print("a long line of text");
    io.print("never seen");
    io.warn("still said");
    expect(written).toEqual({ 1: "a long ", 2: "still said\n" });
  });

  test("fails when the output can't be kept", () => {
    const io = createIo({ write: sink(["ENOSPC"]).write });
    let thrown: unknown;
    try {
      io.print("x");
    } catch (error) {
      thrown = error;
    }
    expect(AtomicError.is(thrown, "OUTPUT_FAILED")).toBe(true);
    expect(String(thrown)).toContain("ENOSPC");
  });

  test("passes on what is not a failure of the system", () => {
    const broken = createIo({
      write() {
        throw new TypeError("a mistake of ours");
      },
    });
    expect(() => broken.print("x")).toThrow(TypeError);
    expect(() => broken.warn("x")).toThrow(TypeError);
  });

  test("never fails because standard error can't be written", () => {
    const io = createIo({ write: sink(["EIO"]).write });
    expect(() => io.warn("x")).not.toThrow();
  });
});

test("columns are known only for a terminal, and only a terminal is interactive", () => {
  const terminal = createIo({ isTerminal: () => true, columns: 90, environment: {} });
  expect([terminal.columns, terminal.isInteractive]).toEqual([90, true]);
  const piped = createIo({ isTerminal: (fd) => fd === 0, columns: 90, environment: {} });
  expect([piped.columns, piped.isInteractive]).toEqual([undefined, false]);
});

test.each([
  [{ CI: "true" }, false, false],
  [{ CI: "1" }, false, false],
  [{ CI: "false" }, true, true],
  [{ CI: "" }, true, true],
  [{ TERM: "dumb" }, false, true],
])("at a terminal with %j: live lines %p, questions %p", (environment, hasScreen, isInteractive) => {
  const io = createIo({ isTerminal: () => true, environment });
  expect([io.screen !== undefined, io.isInteractive]).toEqual([hasScreen, isInteractive]);
});
