import { expect, test } from "bun:test";
import { createTerminalOutput } from "./output.ts";

/** A terminal that takes `room` bytes, then none. */
function narrow() {
  let [taken, room, code] = ["", Infinity, "EAGAIN"];
  const output = createTerminalOutput({
    put(bytes) {
      if (room === 0) throw Object.assign(new Error(code), { code });
      const part = bytes.subarray(0, room);
      taken += new TextDecoder().decode(part);
      room -= part.length;
      return part.length;
    },
    terminal: process.stdout,
    patienceMs: 20,
  });
  return {
    output,
    taken: () => taken,
    allow: (bytes: number) => void (room = bytes),
    hangUp() {
      code = "EIO";
      room = 0;
    },
  };
}

test("a frame that the terminal takes half of is written to its end before anything else, and then called back", async () => {
  const { output, taken, allow } = narrow();
  allow(3);
  const called: string[] = [];
  output.stream.write("frame", () => called.push("frame"));
  output.write("!");
  expect([taken(), called]).toEqual(["fra", []]);

  allow(Infinity);
  await output.settled();
  expect([taken(), called]).toEqual(["frame!", ["frame"]]);
});

test("what the terminal has taken is called back at once", () => {
  const { output, taken } = narrow();
  let isCalled = false;
  output.stream.write("frame", () => (isCalled = true));
  expect([taken(), isCalled]).toEqual(["frame", true]);
});

test("a renderer that puts another write into the stream changes nothing", () => {
  const { output, taken } = narrow();
  const { write } = process.stdout;
  output.stream.write = () => true;
  output.stream.write("frame");
  expect(taken()).toBe("frame");
  expect(process.stdout.write).toBe(write);
});

test("the last sequence takes the place of what waits, and cancels a sequence that was cut off", async () => {
  const { output, taken, allow } = narrow();
  allow(2);
  output.stream.write("\x1b[31mred");
  allow(Infinity);
  await output.replace("reset");
  expect(taken()).toBe("\x1b[\x18reset");
});

test("a terminal that takes nothing is not waited for", async () => {
  const { output, taken, allow } = narrow();
  allow(0);
  await output.replace("reset");
  await output.print("a line");
  expect(taken()).toBe("");
});

test("a terminal that is gone ends every wait", async () => {
  const { output, allow, hangUp } = narrow();
  allow(1);
  let isCalled = false;
  output.stream.write("frame", () => (isCalled = true));
  hangUp();
  await output.hungUp;
  await output.settled();
  expect(isCalled).toBe(true);
});
