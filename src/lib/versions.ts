// Versions as authors write them (`1.2.3`, `0.5.0-beta.1`): reading and comparing, by the rules of semver.org.
// Ranges (`^1.2`) are not versions and are refused.

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** `["beta", 1]` for `-beta.1`; empty for a release. */
  readonly prerelease: readonly (string | number)[];
}

const pattern = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,100}))?(?:\+[0-9A-Za-z.-]{1,100})?$/;

/** The version in `text`, or undefined if it is not a version. */
export function parseVersion(text: string): Version | undefined {
  const match = pattern.exec(text.trim());
  if (match === null) return undefined;
  const prerelease = (match[4] ?? "").split(".").filter((part) => part !== "");
  return {
    major: Number(match[1]),
    minor: Number(match[2]),
    patch: Number(match[3]),
    prerelease: prerelease.map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
  };
}

/** Negative when `a` is older than `b`, positive when it is newer, 0 when they are the same release. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch || comparePrereleases(a.prerelease, b.prerelease);
}

function comparePrereleases(a: Version["prerelease"], b: Version["prerelease"]): number {
  // A release is newer than any of its previews.
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = comparePart(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function comparePart(a: string | number | undefined, b: string | number | undefined): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  // Numbers come before words.
  if (typeof a === "number") return -1;
  if (typeof b === "number") return 1;
  if (a === b) return 0;
  return String(a) < String(b) ? -1 : 1;
}
