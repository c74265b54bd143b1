/** A 32-bit digest of a vector's float32 numbers, in their order. The digest is the same on every machine. */
import { Murmur } from "../../base/murmur.ts";

export function digestOfVector(vector: Float32Array): number {
  const hash = new Murmur(vector.length);
  const numbers = new Float32Array(vector);
  // -0 and 0 are the same vector.
  for (let i = 0; i < numbers.length; i++) if (numbers[i] === 0) numbers[i] = 0;
  for (const word of new Int32Array(numbers.buffer)) hash.take(word);
  return hash.value;
}
