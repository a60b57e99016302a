import { afterEach, expect, test } from "bun:test";
import { localTime } from "./local-time.ts";

const before = process.env["TZ"];
afterEach(() => {
  process.env["TZ"] = before ?? "UTC";
});

const moment = Date.UTC(2026, 10, 16, 13, 2, 11, 5);

test.each([
  ["UTC", "2026-11-16T13:02:11.005Z"],
  ["Europe/Berlin", "2026-11-16T14:02:11.005+01:00"],
  ["America/St_Johns", "2026-11-16T09:32:11.005-03:30"],
  ["Asia/Kathmandu", "2026-11-16T18:47:11.005+05:45"],
])("in %s it is %s", (zone, text) => {
  process.env["TZ"] = zone;
  expect(localTime(moment)).toBe(text);
  expect(Date.parse(localTime(moment))).toBe(moment);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 9e15])("%d is not a valid time", (at) => {
  expect(localTime(at)).toBe("an unknown time");
});

test.each([8.64e15, -8.64e15])("the ends of the calendar can be written", (at) => {
  process.env["TZ"] = "Asia/Kathmandu";
  expect(Date.parse(localTime(at))).toBe(at);
});
