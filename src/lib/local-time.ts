// A time for people and programs: ISO 8601 in the local time zone, with its offset. In UTC it ends with Z.

const latest = 8.64e15;

/** `2026-11-16T14:02:11.000+01:00`. A number outside the calendar's range is shown as unknown. */
export function localTime(at: number): string {
  if (!(Math.abs(at) <= latest)) return "an unknown time";
  const minutes = -new Date(at).getTimezoneOffset();
  // At the ends of the range, adding an offset would leave it.
  if (minutes === 0 || Math.abs(at + minutes * 60_000) > latest) return new Date(at).toISOString();
  const shifted = new Date(at + minutes * 60_000).toISOString().slice(0, -1);
  const two = (value: number): string => String(Math.floor(Math.abs(value))).padStart(2, "0");
  return `${shifted}${minutes < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}
