// CRC-32 of a text's UTF-8 bytes: finds accidents (torn writes, flipped bits), not forgery.

import * as zlib from "node:zlib";

/** Eight hexadecimal digits. */
export function checksum(data: string | Uint8Array): string {
  return crc32(data).toString(16).padStart(8, "0");
}

// Node has it since 20.15; typed as always there, so the older 20s are asked for with a widened type.
const native: ((data: string | Uint8Array) => number) | undefined = (zlib as Partial<typeof zlib>).crc32;

export const crc32: (data: string | Uint8Array) => number = native ?? portableCrc32;

let table: Uint32Array | undefined;

export function portableCrc32(data: string | Uint8Array): number {
  table ??= Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  let crc = -1;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 255] ?? 0);
  return ~crc >>> 0;
}
