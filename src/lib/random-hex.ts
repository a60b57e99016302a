// Random digits, for names and for secrets of one process. From the runtime itself: node:crypto costs milliseconds to
// load.

/** Two digits for each byte. */
export function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}
