import { expect, test } from "bun:test";
import { createProcessMemory, maxClosedSessions } from "./script-memory.ts";

test("a process forgets the sessions that were closed longest ago, and no open one", () => {
  const memory = createProcessMemory();
  memory.add("open", "hello");
  memory.add("resumed", "first");
  memory.close("resumed");
  for (let i = 0; i < maxClosedSessions; i++) {
    if (i === 1) {
      memory.add("resumed", "second");
      memory.close("resumed");
    }
    memory.add(`session-${i}`, "go on");
    memory.close(`session-${i}`);
  }
  expect(memory.recall("open")).toBe("hello\n");
  expect(memory.recall("resumed")).toBe("first\nsecond\n");
  expect(memory.recall("session-0")).toBeUndefined();
  expect(memory.recall("session-1")).toBe("go on\n");
  expect(memory.recall(`session-${maxClosedSessions - 1}`)).toBe("go on\n");
});

test("a process remembers no more after ten thousand sessions than after one thousand", () => {
  const memory = createProcessMemory();
  const remembered = (): number => {
    let count = 0;
    for (let i = 0; i < 10_000; i++) if (memory.recall(String(i)) !== undefined) count++;
    return count;
  };
  const counts = [0, 0];
  for (let i = 0; i < 10_000; i++) {
    memory.add(String(i), "go on");
    memory.close(String(i));
    if (i === 999) counts[0] = remembered();
  }
  counts[1] = remembered();
  expect(counts).toEqual([maxClosedSessions, maxClosedSessions]);
});
