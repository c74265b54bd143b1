/** TextEncoder and TextDecoder for UTF-8 as in the Encoding Standard, because QuickJS lacks them. */

const toText = String.fromCodePoint;

/** The most code points in one call of `String.fromCodePoint`. */
const pieceLength = 1_024;

export class Utf8Encoder {
  get encoding(): string {
    return "utf-8";
  }

  encode(text: unknown = ""): Uint8Array<ArrayBuffer> {
    const given = `${text}`;
    // A UTF-16 unit needs at most three bytes.
    const bytes = new Uint8Array(3 * given.length);
    return bytes.slice(0, this.encodeInto(given, bytes).written);
  }

  /** Writes as many complete characters as fit. `read`: number of UTF-16 units. */
  encodeInto(text: unknown, bytes: Uint8Array): { read: number; written: number } {
    const given = `${text}`;
    let written = 0;
    let read = 0;
    while (read < given.length) {
      const point = scalarAt(given, read);
      const length = utf8Length(point);
      if (written + length > bytes.length) break;
      writePoint(bytes, written, point, length);
      written += length;
      read += length === 4 ? 2 : 1;
    }
    return { read, written };
  }
}

/** Number of bytes of a code point. */
function utf8Length(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

/** U+FFFD for an unpaired surrogate. */
function scalarAt(text: string, at: number): number {
  const point = text.codePointAt(at) as number;
  return point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
}

const leads = [0, 0x00, 0xc0, 0xe0, 0xf0];

function writePoint(bytes: Uint8Array, at: number, point: number, length: number): void {
  let rest = point;
  for (let place = length - 1; place > 0; place--) {
    bytes[at + place] = 0x80 | (rest & 0x3f);
    rest >>= 6;
  }
  bytes[at] = (leads[length] as number) | rest;
}

interface DecoderOptions {
  readonly fatal?: unknown;
  readonly ignoreBOM?: unknown;
}

const labels =
  /^[\t\n\f\r ]*(?:utf-?8|unicode-1-1-utf-8|unicode11utf8|unicode20utf8|x-unicode20utf8)[\t\n\f\r ]*$/i;

export class Utf8Decoder {
  readonly #fatal: boolean;
  readonly #ignoreBOM: boolean;
  /** The state within a character: number of bytes that it still needs, its bits so far, and the range of the next byte. */
  #needed = 0;
  #point = 0;
  #lower = 0x80;
  #upper = 0xbf;
  #atStart = true;
  #goesOn = false;

  /** @throws RangeError for an encoding other than UTF-8. */
  constructor(label: unknown = "utf-8", options: DecoderOptions = {}) {
    if (!labels.test(`${label}`)) {
      throw new RangeError(`A TextDecoder for "${label}" is not available here: only "utf-8" is.`);
    }
    this.#fatal = Boolean(options?.fatal);
    this.#ignoreBOM = Boolean(options?.ignoreBOM);
  }

  get encoding(): string {
    return "utf-8";
  }

  get fatal(): boolean {
    return this.#fatal;
  }

  get ignoreBOM(): boolean {
    return this.#ignoreBOM;
  }

  /** @throws TypeError for invalid UTF-8, if the decoder is `fatal`. */
  decode(input?: ArrayBuffer | ArrayBufferView, options: { readonly stream?: unknown } = {}): string {
    if (!this.#goesOn) this.#reset();
    this.#goesOn = Boolean(options?.stream);
    const bytes = bytesOf(input);
    const points: number[] = [];
    let text = "";
    for (let at = 0; at < bytes.length; at++) {
      // A byte that does not continue the current character ends it, and is then read again.
      if (!this.#take(bytes[at] as number, points)) at -= 1;
      if (points.length >= pieceLength) text += toText(...points.splice(0));
    }
    if (!this.#goesOn && this.#needed > 0) {
      this.#needed = 0;
      this.#fault(points);
    }
    return text + toText(...points);
  }

  #reset(): void {
    this.#needed = 0;
    this.#point = 0;
    this.#lower = 0x80;
    this.#upper = 0xbf;
    this.#atStart = true;
  }

  /** Returns false if the byte was not used. */
  #take(byte: number, points: number[]): boolean {
    if (this.#needed === 0) {
      if (byte < 0x80) this.#emit(byte, points);
      else this.#begin(byte, points);
      return true;
    }
    const fits = byte >= this.#lower && byte <= this.#upper;
    this.#lower = 0x80;
    this.#upper = 0xbf;
    if (!fits) {
      this.#needed = 0;
      this.#fault(points);
      return false;
    }
    this.#point = (this.#point << 6) | (byte & 0x3f);
    this.#needed -= 1;
    if (this.#needed === 0) this.#emit(this.#point, points);
    return true;
  }

  #begin(byte: number, points: number[]): void {
    if (byte >= 0xc2 && byte <= 0xdf) this.#expect(1, byte & 0x1f);
    else if (byte >= 0xe0 && byte <= 0xef) {
      this.#expect(2, byte & 0x0f);
      if (byte === 0xe0) this.#lower = 0xa0;
      if (byte === 0xed) this.#upper = 0x9f;
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      this.#expect(3, byte & 0x07);
      if (byte === 0xf0) this.#lower = 0x90;
      if (byte === 0xf4) this.#upper = 0x8f;
    } else this.#fault(points);
  }

  #expect(needed: number, bits: number): void {
    this.#needed = needed;
    this.#point = bits;
  }

  #emit(point: number, points: number[]): void {
    const isMark = this.#atStart && point === 0xfeff && !this.#ignoreBOM;
    this.#atStart = false;
    if (!isMark) points.push(point);
  }

  #fault(points: number[]): void {
    if (this.#fatal) {
      this.#goesOn = false;
      throw new TypeError("The bytes are not UTF-8.");
    }
    this.#atStart = false;
    points.push(0xfffd);
  }
}

function bytesOf(input: ArrayBuffer | ArrayBufferView | undefined): Uint8Array {
  if (input === undefined) return new Uint8Array(0);
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  throw new TypeError("TextDecoder decodes only an ArrayBuffer, a typed array or a DataView.");
}
