// SHA-256 of data in pieces. Uses Bun's own where there is one: loading node:crypto costs ten milliseconds at the
// start.

import { createRequire } from "node:module";

export interface Sha256 {
  update(piece: string | Uint8Array): Sha256;
  digest(encoding: "hex"): string;
}

export function createSha256(): Sha256 {
  if (typeof Bun !== "undefined") return new Bun.CryptoHasher("sha256");
  const { createHash } = createRequire(import.meta.url)("node:crypto") as typeof import("node:crypto");
  return createHash("sha256");
}
