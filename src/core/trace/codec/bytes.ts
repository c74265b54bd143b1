/** CRC32 (IEEE), base64url, varints, and joining of bytes. */
import { TraceError } from "../format/trace-error.ts";

/** Four tables of 256 entries: with them, `crc32` reads four bytes at a time ("slicing by 4"). */
const crcTables = (() => {
  const tables = new Uint32Array(4 * 256);
  for (let index = 0; index < 256; index += 1) {
    let value = index;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    tables[index] = value;
  }
  for (let index = 256; index < tables.length; index += 1) {
    const before = tables[index - 256] ?? 0;
    tables[index] = (tables[before & 255] ?? 0) ^ (before >>> 8);
  }
  return tables;
})();

/** @param before the checksum of the bytes before these, if the input comes in chunks. */
export function crc32(bytes: Uint8Array, before = 0): number {
  const tables = crcTables;
  const fours = bytes.length - (bytes.length % 4);
  let crc = before ^ 0xffff_ffff;
  let place = 0;
  for (; place < fours; place += 4) {
    const low = crc ^ (bytes[place] as number);
    crc =
      (tables[768 + (low & 255)] as number) ^
      (tables[512 + (((low >>> 8) & 255) ^ (bytes[place + 1] as number))] as number) ^
      (tables[256 + (((low >>> 16) & 255) ^ (bytes[place + 2] as number))] as number) ^
      (tables[(low >>> 24) ^ (bytes[place + 3] as number)] as number);
  }
  for (; place < bytes.length; place += 1)
    crc = (tables[(crc ^ (bytes[place] as number)) & 255] as number) ^ (crc >>> 8);
  return (crc ^ 0xffff_ffff) >>> 0;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const placeOf = new Int8Array(128).fill(-1);
for (let place = 0; place < 64; place += 1) placeOf[alphabet.charCodeAt(place)] = place;

/** Encodes bytes as base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += 3) {
    const rest = Math.min(bytes.length - start, 3);
    const bits = ((bytes[start] ?? 0) << 16) | ((bytes[start + 1] ?? 0) << 8) | (bytes[start + 2] ?? 0);
    for (let place = 0; place <= rest; place += 1)
      parts.push(alphabet[(bits >> (18 - 6 * place)) & 63] ?? "");
  }
  return parts.join("");
}

/** @throws TraceError for a character outside the alphabet or an impossible length. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  if (text.length % 4 === 1)
    throw new TraceError("The link is damaged: its length is impossible. Copy the whole link again.");
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let next = 0;
  for (let place = 0; place < text.length; place += 1) {
    const value = placeOf[text.charCodeAt(place)] ?? -1;
    if (value < 0)
      throw new TraceError(
        `The link is damaged: it has an invalid character at position ${place + 1}. Copy the whole link again.`,
      );
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[next++] = (bits >> held) & 255;
    }
  }
  return bytes;
}

/** Joins all parts into one array, in order. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let next = 0;
  for (const part of parts) {
    result.set(part, next);
    next += part.length;
  }
  return result;
}

/** Appends a whole number in groups of 7 bits, lowest first. */
export function pushVarint(out: number[], value: number): void {
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) out.push((rest % 128) + 128);
  out.push(rest);
}

/** Reads bytes from front to back. @throws TraceError, from every method, if no bytes are left. */
export interface ByteReader {
  /** Bytes read so far. */
  readonly place: number;
  byte(): number;
  /** Below 2^35. */
  varint(): number;
  take(length: number): Uint8Array;
}

export function createByteReader(bytes: Uint8Array): ByteReader {
  let next = 0;
  const need = (length: number) => {
    if (next + length > bytes.length) throw new TraceError("The trace is damaged: it ends too early.");
  };
  const byte = () => {
    need(1);
    return bytes[next++] ?? 0;
  };
  return {
    get place() {
      return next;
    },
    byte,
    varint() {
      let value = 0;
      for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
        const part = byte();
        value += (part & 127) * scale;
        if (part < 128) return value;
      }
      throw new TraceError("The trace is damaged: it holds a length that is too large.");
    },
    take(length) {
      need(length);
      next += length;
      return bytes.subarray(next - length, next);
    },
  };
}
