import { expect, test } from "bun:test";
import { fitAnswer, typedNameAmong, typedNames } from "./answer-value.ts";

const colours = { options: ["red", { label: "Dark blue", description: "like the sea" }, "7"] };

test("fitAnswer takes an option by its label, whatever its case, or by its number", () => {
  expect(fitAnswer(colours, "red")).toEqual({ value: "red" });
  expect(fitAnswer(colours, " dark BLUE ")).toEqual({ value: "Dark blue" });
  expect(fitAnswer(colours, "2")).toEqual({ value: "Dark blue" });
  // A label that is a number means itself.
  expect(fitAnswer(colours, "7")).toEqual({ value: "7" });
});

test("fitAnswer refuses unknown options, several where one is asked for, and nothing", () => {
  expect(fitAnswer(colours, "green")).toEqual({ problem: '"green" is not an option. Choose red, Dark blue or 7.' });
  expect(fitAnswer(colours, "4")).toHaveProperty("problem");
  expect(fitAnswer(colours, { a: 1 })).toHaveProperty("problem");
  expect(fitAnswer(colours, ["red", "7"])).toEqual({ problem: "Choose only one." });
  expect(fitAnswer(colours, "  ")).toHaveProperty("problem");
  expect(fitAnswer({ ...colours, multiSelect: true }, [])).toHaveProperty("problem");
});

test("fitAnswer takes several options as a list or with commas, each once", () => {
  const several = { ...colours, multiSelect: true };
  expect(fitAnswer(several, "red, 2,red")).toEqual({ value: ["red", "Dark blue"] });
  expect(fitAnswer(several, ["7"])).toEqual({ value: ["7"] });
  expect(fitAnswer({ options: ["a, b", "c"], multiSelect: true }, "a, b")).toEqual({ value: ["a, b"] });
});

test("fitAnswer takes any text where free text is allowed, and any JSON where there are no options", () => {
  expect(fitAnswer({ ...colours, freeText: true }, "green")).toEqual({ value: "green" });
  expect(fitAnswer({}, { a: [1] })).toEqual({ value: { a: [1] } });
});

test("typedNames are the node for its first visit, the visit after that, and the author's own id", () => {
  expect(typedNames({ id: "approve#1?aa", key: "approve#1" })).toEqual(["approve", "approve#1", "approve:aa"]);
  expect(typedNames({ id: "approve#2?aa", key: "approve#2" })).toEqual(["approve#2", "approve#2:aa"]);
  expect(typedNames({ id: "f#1/left/approve#1?aa", key: "f#1/left/approve#1" })[0]).toBe("approve");
  expect(typedNames({ id: "ok", key: "approve#1" })).toEqual(["ok"]);
  expect(typedNames({ id: "ok@b#1", name: "ok", key: "b#1" })).toEqual(["ok"]);
});

test("typedNameAmong says more only where it must", () => {
  const one = { id: "work#1?task 1:aa", key: "work#1" };
  const two = { id: "work#1?task 2:bb", key: "work#1" };
  expect(typedNameAmong(one, [one])).toBe("work");
  expect(typedNameAmong(one, [one, two])).toBe("work:aa");
  const left = { id: "m#1/0/ok#1?aa", key: "m#1/0/ok#1" };
  const right = { id: "m#1/1/ok#1?aa", key: "m#1/1/ok#1" };
  expect(typedNameAmong(left, [left, right])).toBe(left.id);
});
