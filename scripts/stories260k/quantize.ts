/** Round-to-nearest block quantization in the layout of com.microsoft MatMulNBits. */
import type { Matrix } from "./matrix.ts";

export interface QuantizedMatrix {
  readonly bits: 4 | 8;
  readonly blockSize: number;
  /** (rows, blocks, blockSize × bits / 8), the first value in the low bits. */
  readonly packed: Uint8Array;
  /** (rows, blocks) */
  readonly scales: Float32Array;
  /** (rows, ceil(blocks × bits / 8)), the first in the low bits. */
  readonly zeroPoints: Uint8Array;
}

/** Blocks run along the columns. @throws RangeError when the columns are not whole blocks. */
export function quantize({ rows, columns, values }: Matrix, bits: 4 | 8, blockSize = 32): QuantizedMatrix {
  if (columns % blockSize !== 0)
    throw new RangeError(`${columns} columns are not whole blocks of ${blockSize}.`);
  const blocks = columns / blockSize;
  const perByte = 8 / bits;
  const packed = new Uint8Array(values.length / perByte);
  const scales = new Float32Array(rows * blocks);
  const zeroRow = Math.ceil(blocks / perByte);
  const zeroPoints = new Uint8Array(rows * zeroRow);
  for (let row = 0; row < rows; row++) {
    for (let block = 0; block < blocks; block++) {
      const start = row * columns + block * blockSize;
      const { scale, zero } = range(values.subarray(start, start + blockSize), bits);
      scales[row * blocks + block] = scale;
      put(zeroPoints, row * zeroRow * perByte + block, zero, bits);
      for (let i = start; i < start + blockSize; i++)
        put(packed, i, level(values[i] ?? 0, scale, zero, bits), bits);
    }
  }
  return { bits, blockSize, packed, scales, zeroPoints };
}

/** Scale and zero point such that 0 stays exactly 0 and the block's ends are reached. */
function range(block: Float32Array, bits: number): { scale: number; zero: number } {
  let low = 0;
  let high = 0;
  for (const value of block) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const levels = 2 ** bits - 1;
  const scale = Math.fround((high - low) / levels);
  return scale === 0 ? { scale: 0, zero: 2 ** (bits - 1) } : { scale, zero: Math.round(-low / scale) };
}

function level(value: number, scale: number, zero: number, bits: number): number {
  if (scale === 0) return zero;
  return Math.min(Math.max(Math.round(value / scale) + zero, 0), 2 ** bits - 1);
}

function put(bytes: Uint8Array, index: number, value: number, bits: number): void {
  const perByte = 8 / bits;
  const byte = Math.floor(index / perByte);
  bytes[byte] = (bytes[byte] ?? 0) | (value << ((index % perByte) * bits));
}
