/**
 * Writes a steering vector as a text, so that it can stand in a mod's own source. Each number is rounded to 8 bits and written
 * as a Rice code, which is short if most numbers are small, as in directions (Rice & Plaunt 1971, "Adaptive Variable-Length
 * Coding"). The text uses 16 consecutive letters and not 64 characters, because links pack these into fewer characters. A
 * vector of SmolLM2's 576 numbers takes 830 to 1,050 letters, and 590 to 740 characters of a link; base64 of its bytes would
 * take 820 to 890 characters of a link.
 */
import { describeValue } from "../base/show.ts";

/** A direction in the residual stream after one layer, for `actions.steer`. */
export interface SteeringVector {
  /** Counted from 0. */
  readonly layer: number;
  /** As many numbers as the model's hidden state has. */
  readonly vector: Float32Array;
  readonly name?: string;
}

/** The limits of a vector that is written as a text. */
export const steeringVectorLimits = {
  layers: 256,
  numbers: 65_535,
  nameLength: 60,
  textLength: 200_000,
} as const;

const version = 1;
const firstLetter = 97;
const checksumLetters = 6;
const shape = /^(?:(.{1,60}):)?([a-p]{8,})$/;
/** Numbers are stored as whole numbers from -127 to 127, times the step. */
const largest = 127;

/**
 * Reads the vector from a text that Midtoken made.
 * @throws Error for a text that is no vector, is damaged, or comes from a newer version; the message says what to do.
 */
export function steeringVector(text: string): SteeringVector {
  if (typeof text !== "string")
    throw new TypeError(
      `steeringVector(...) was given ${describeValue(text)}: give the text of a vector, a string of letters from a to p.`,
    );
  const [, name, letters] = (text.length <= steeringVectorLimits.textLength && shape.exec(text)) || [];
  if (letters === undefined)
    throw new Error(
      `steeringVector(...) was given ${describeValue(text)}, which is not the text of a vector. This text consists of letters from a to p; a name and a colon may come before them. Copy the whole text again.`,
    );
  const end = text.length - checksumLetters;
  if (text.slice(end) !== checksumOf(text.slice(0, end))) throw damaged("its checksum is wrong");
  const read = bitReader(letters.slice(0, -checksumLetters));
  const found = read(4);
  if (found !== version)
    throw new Error(
      `The text of the steering vector has version ${found}, but this Midtoken reads version ${version}. Reload the page, or update the package.`,
    );
  const layer = read(8);
  const step = new Float32Array(new Uint32Array([read(32)]).buffer)[0] as number;
  const vector = new Float32Array(read(16));
  const shift = read(3);
  for (let place = 0; place < vector.length; place += 1) {
    let folded = 0;
    while (read(1) === 1) folded += 1;
    folded = (folded << shift) | read(shift);
    if (folded > 2 * largest) throw damaged("one of its numbers has more than 8 bits");
    vector[place] = (folded & 1 ? -(folded + 1) / 2 : folded / 2) * step;
  }
  if (vector.length === 0 || !vector.every(Number.isFinite))
    throw damaged("it has no numbers, or numbers that are not finite");
  return { layer, vector, ...(name !== undefined && { name }) };
}

/**
 * Writes a vector as a text for `steeringVector`. Rounding changes each number by at most half a 127th of the largest number.
 * @throws RangeError for a vector beyond the limits; the message says which.
 */
export function steeringVectorText({ layer, vector, name }: SteeringVector): string {
  const { layers, numbers, nameLength } = steeringVectorLimits;
  if (!Number.isInteger(layer) || layer < 0 || layer >= layers)
    throw new RangeError(
      `A steering vector's layer is a whole number from 0 to ${layers - 1}, not ${describeValue(layer)}.`,
    );
  if (vector.length === 0 || vector.length > numbers)
    throw new RangeError(`A steering vector has 1 to ${numbers} numbers, not ${vector.length}.`);
  const wrong = vector.findIndex((number) => !Number.isFinite(number));
  if (wrong >= 0)
    throw new RangeError(
      `The steering vector has ${vector[wrong]} at index ${wrong}: all its numbers must be finite.`,
    );
  if (name !== undefined && (name === "" || name.length > nameLength || /[\p{Cc}\p{Cs}]/u.test(name)))
    throw new RangeError(
      `The steering vector's name is ${describeValue(name)}: give 1 to ${nameLength} characters without line breaks.`,
    );
  const step = Math.fround(vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0) / largest);
  const folded = Array.from(vector, (number) => foldedOf(number, step));
  const lengths = Array.from({ length: 8 }, (_, shift) =>
    folded.reduce((sum, value) => sum + (value >> shift) + 1 + shift, 0),
  );
  const shift = lengths.indexOf(Math.min(...lengths));
  let bits = "";
  const write = (value: number, count: number) => {
    if (count > 0) bits += value.toString(2).padStart(count, "0");
  };
  write(version, 4);
  write(layer, 8);
  write(new Uint32Array(Float32Array.of(step).buffer)[0] as number, 32);
  write(vector.length, 16);
  write(shift, 3);
  for (const value of folded) {
    bits += `${"1".repeat(value >> shift)}0`;
    write(value & ((1 << shift) - 1), shift);
  }
  const letters = bits.replace(/.{1,4}/g, (four) => letterOf(Number.parseInt(four.padEnd(4, "0"), 2)));
  const text = `${name === undefined ? "" : `${name}:`}${letters}`;
  return text + checksumOf(text);
}

/** Maps 0, -1, 1, -2, … to 0, 1, 2, 3, … */
function foldedOf(number: number, step: number): number {
  // The step is 0 if it is too small for a float32 number. Then all numbers are written as 0.
  const whole = step === 0 ? 0 : Math.min(Math.max(Math.round(number / step), -largest), largest);
  return whole < 0 ? -2 * whole - 1 : 2 * whole;
}

const letterOf = (value: number) => String.fromCharCode(firstLetter + value);

/** Returns a function that reads the next `count` bits of the letters as a number. */
function bitReader(letters: string): (count: number) => number {
  let place = 0;
  return (count) => {
    let value = 0;
    for (const end = place + count; place < end; place += 1) {
      if (place >= 4 * letters.length) throw damaged("it ends too early");
      const letter = letters.charCodeAt(place >> 2) - firstLetter;
      value = value * 2 + ((letter >> (3 - (place & 3))) & 1);
    }
    return value;
  };
}

/** A checksum of 24 bits (FNV-1a), by which a cut or mistyped text is recognised. */
function checksumOf(text: string): string {
  let hash = 0x811c_9dc5;
  for (let place = 0; place < text.length; place += 1)
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x0100_0193);
  return Array.from({ length: checksumLetters }, (_, place) => letterOf((hash >>> (4 * place)) & 15)).join(
    "",
  );
}

const damaged = (why: string) =>
  new Error(`The text of the steering vector is damaged: ${why}. Copy the whole text again.`);
