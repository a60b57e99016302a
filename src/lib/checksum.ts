// CRC-32 of a text's UTF-8 bytes: finds accidents (torn writes, flipped bits), not forgery.

/** Eight hexadecimal digits. */
export function checksum(data: string | Uint8Array): string {
  return crc32(data).toString(16).padStart(8, "0");
}

type Crc32 = (data: string | Uint8Array) => number;

let chosen: Crc32 | undefined;

export function crc32(data: string | Uint8Array): number {
  chosen ??= nativeCrc32() ?? portableCrc32;
  return chosen(data);
}

/** Loaded on first use: importing zlib costs milliseconds, and Node has the function only since 20.15. */
function nativeCrc32(): Crc32 | undefined {
  if (typeof Bun !== "undefined") return Bun.hash.crc32;
  const { getBuiltinModule } = process as Partial<typeof process>;
  const zlib: { readonly crc32?: Crc32 } | undefined = getBuiltinModule?.("node:zlib");
  return zlib?.crc32;
}

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
