/** The protobuf wire format: varints, tags and length-delimited spans, read from and written to bytes without copies of the payloads. */

import { type GraphLimits, graphLimits } from "./limits.ts";

/** A file is invalid. The message says where and why. */
export class OnnxFormatError extends Error {
  override readonly name = "OnnxFormatError";
}

/** Wire types of the format; types 3 and 4 are groups, which ONNX never used. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const utf8Encoder = new TextEncoder();

/** Counts the bytes and objects read from a file against their limits. */
class Tally {
  private parts = 0;
  private textBytes = 0;

  constructor(private readonly limits: GraphLimits) {}

  part(): void {
    this.parts += 1;
    const { parts } = this.limits;
    if (this.parts > parts) refuseGraph(`more than ${parts} nodes, attributes and other parts`);
  }

  text(bytes: number): void {
    this.textBytes += bytes;
    const { textBytes } = this.limits;
    if (this.textBytes > textBytes) refuseGraph(`more than ${textBytes} bytes of names and other strings`);
  }
}

/** @throws OnnxFormatError because the graph exceeds `graphLimits`. */
export function refuseGraph(what: string): never {
  throw new OnnxFormatError(
    `The graph was not read, because it has ${what}, more than any model that runs in a browser. Download the file again in case it is damaged, choose another dtype, or export the model again.`,
  );
}

/** A cursor over one message's bytes. Every read checks the end, so no input makes the cursor leave the message. */
export class WireReader {
  private readonly view: DataView;
  private readonly tally: Tally;
  position = 0;

  /** `origin` is the offset of `bytes` in the file, for error messages. A reader of a nested message shares the limits. */
  constructor(
    readonly bytes: Uint8Array,
    readonly origin = 0,
    limits: GraphLimits | Tally = graphLimits,
  ) {
    this.tally = limits instanceof Tally ? limits : new Tally(limits);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.position >= this.bytes.length;
  }

  fail(what: string): never {
    throw new OnnxFormatError(
      `The ONNX file cannot be read: at byte ${this.origin + this.position} there is ${what}. The file is damaged, incomplete or not ONNX; download it again.`,
    );
  }

  /** An unsigned varint below 2^53, for tags and lengths. */
  length(): number {
    let value = 0;
    for (let scale = 1, count = 0; count < 8; count++, scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (!Number.isSafeInteger(value)) this.fail("a length beyond 2^53");
        return value;
      }
    }
    return this.fail("a length beyond 2^53");
  }

  /** A varint as a signed 64-bit integer. */
  bigint(): bigint {
    let low = 0;
    let middle = 0;
    let high = 0;
    for (let count = 0; count < 10; count++) {
      const byte = this.byte();
      const bits = byte & 127;
      if (count < 4) low |= bits << (7 * count);
      else if (count < 8) middle |= bits << (7 * (count - 4));
      else high |= bits << (7 * (count - 8));
      if (byte < 128) {
        const all = BigInt(low) | (BigInt(middle) << 28n) | (BigInt(high) << 56n);
        return BigInt.asIntN(64, all);
      }
    }
    return this.fail("an integer of more than ten bytes");
  }

  /** A varint as a signed integer that a number holds exactly. */
  integer(): number {
    const start = this.position;
    const first = this.byte();
    if (first < 128) return first;
    this.position = start;
    const value = Number(this.bigint());
    if (!Number.isSafeInteger(value)) this.fail("an integer beyond 2^53");
    return value;
  }

  float(): number {
    this.need(4);
    const value = this.view.getFloat32(this.position, true);
    this.position += 4;
    return value;
  }

  /** A view of the next `count` bytes. */
  take(count: number): Uint8Array {
    this.need(count);
    const span = this.bytes.subarray(this.position, this.position + count);
    this.position += count;
    return span;
  }

  /** A length-delimited span. */
  span(): Uint8Array {
    return this.take(this.length());
  }

  /** A reader of a length-delimited span. @throws OnnxFormatError if the span is incomplete */
  inner(): WireReader {
    const length = this.length();
    const origin = this.origin + this.position;
    return new WireReader(this.take(length), origin, this.tally);
  }

  /** Counts one more part of the graph. @throws OnnxFormatError when there are too many. */
  count(): void {
    this.tally.part();
  }

  string(): string {
    const span = this.span();
    this.tally.text(span.length);
    try {
      return utf8.decode(span);
    } catch {
      return this.fail("a string that is not valid UTF-8");
    }
  }

  /** Moves past one value of the given wire type. */
  skip(type: number): void {
    if (type === wireTypes.varint) this.bigint();
    else if (type === wireTypes.fixed64) this.take(8);
    else if (type === wireTypes.bytes) this.span();
    else if (type === wireTypes.fixed32) this.take(4);
    else this.fail(`the unknown wire type ${type}`);
  }

  private byte(): number {
    const value = this.bytes[this.position];
    if (value === undefined) this.fail("a value that is cut off");
    this.position++;
    return value;
  }

  private need(count: number): void {
    const left = this.bytes.length - this.position;
    if (count > left) this.fail(`a value of ${count} bytes, but only ${left} bytes are left`);
  }
}

/** Collects the spans of a message, and joins them once, at the end. */
export class WireWriter {
  private readonly parts: Uint8Array[] = [];
  private scratch: number[] = [];
  private partBytes = 0;

  get length(): number {
    return this.partBytes + this.scratch.length;
  }

  tag(number: number, type: number): void {
    this.varint(BigInt(number * 8 + type));
  }

  varint(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    while (rest > 127n) {
      this.scratch.push(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    this.scratch.push(Number(rest));
  }

  float(value: number): void {
    this.scratch.push(...new Uint8Array(new Float32Array([value]).buffer));
  }

  bytes(value: Uint8Array): void {
    this.varint(BigInt(value.length));
    this.raw(value);
  }

  string(value: string): void {
    this.bytes(utf8Encoder.encode(value));
  }

  message(value: WireWriter): void {
    this.varint(BigInt(value.length));
    this.flush();
    value.flush();
    for (const part of value.parts) this.parts.push(part);
    this.partBytes += value.partBytes;
  }

  /** Appends bytes without a length. */
  raw(value: Uint8Array): void {
    if (value.length < 64) {
      for (const byte of value) this.scratch.push(byte);
      return;
    }
    this.flush();
    this.parts.push(value);
    this.partBytes += value.length;
  }

  /** The whole message in one new array. @throws RangeError beyond the format's 2 GiB. */
  finish(): Uint8Array<ArrayBuffer> {
    if (this.length >= 2 ** 31) {
      throw new RangeError(
        `An ONNX file of ${this.length} bytes exceeds the format's limit of 2 GiB: move weights to external data.`,
      );
    }
    this.flush();
    const all = new Uint8Array(this.partBytes);
    let position = 0;
    for (const part of this.parts) {
      all.set(part, position);
      position += part.length;
    }
    return all;
  }

  private flush(): void {
    if (this.scratch.length === 0) return;
    this.parts.push(Uint8Array.from(this.scratch));
    this.partBytes += this.scratch.length;
    this.scratch = [];
  }
}
