/**
 * Symmetric block quantization: a scale for every 32 values of a row, no zero points. With four bits, the blocks equal GGUF's
 * Q4_0 (ggml-quants.c of llama.cpp), so that both runtimes can run the same weights.
 */
import { float16ToFloat32 } from "../../src/runtime/engine/base/float16-arrays.ts";
import type { Matrix } from "../stories260k/matrix.ts";

export const blockSize = 32;

export interface SymmetricQuantizedMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly bits: 4 | 8;
  /** (rows, columns), unsigned: a value is `(level − 2^(bits − 1)) × scale`. */
  readonly levels: Uint8Array;
  /** (rows, columns / 32); each scale can be represented in float16. */
  readonly scales: Float32Array;
}

/**
 * With four bits, the value farthest from zero becomes the lowest level, because there is one more level below zero than above.
 * With eight bits, the scale is the largest magnitude / 127. @throws RangeError if the number of columns is not a multiple of 32
 */
export function quantizeSymmetric({ rows, columns, values }: Matrix, bits: 4 | 8): SymmetricQuantizedMatrix {
  if (columns % blockSize !== 0) {
    throw new RangeError(`${columns} columns are not whole blocks of ${blockSize}.`);
  }
  const levels = new Uint8Array(values.length);
  const scales = new Float32Array(values.length / blockSize);
  const middle = 2 ** (bits - 1);
  for (let block = 0; block < scales.length; block++) {
    const start = block * blockSize;
    let farthest = 0;
    for (let i = start; i < start + blockSize; i++) {
      const value = values[i] as number;
      if (Math.abs(value) > Math.abs(farthest)) farthest = value;
    }
    const scale = nearestFloat16(bits === 4 ? farthest / -middle : Math.abs(farthest) / (middle - 1));
    scales[block] = scale;
    const inverse = scale === 0 ? 0 : 1 / scale;
    for (let i = start; i < start + blockSize; i++) {
      const level = Math.round((values[i] as number) * inverse) + middle;
      levels[i] = Math.max(0, Math.min(2 * middle - 1, level));
    }
  }
  return { rows, columns, bits, levels, scales };
}

/** The values of the levels, (rows, columns). */
export function dequantizeSymmetric({ bits, levels, scales }: SymmetricQuantizedMatrix): Float32Array {
  const middle = 2 ** (bits - 1);
  return Float32Array.from(
    levels,
    (level, i) => (level - middle) * (scales[Math.floor(i / blockSize)] as number),
  );
}

/** Packs levels as MatMulNBits expects them: with four bits two levels in a byte, the first in the low bits. */
export function packLevels({ bits, levels }: SymmetricQuantizedMatrix): Uint8Array {
  if (bits === 8) return levels;
  const packed = new Uint8Array(levels.length / 2);
  for (let i = 0; i < packed.length; i++) {
    packed[i] = (levels[2 * i] as number) | ((levels[2 * i + 1] as number) << 4);
  }
  return packed;
}

/** The bits of the float16 number nearest to `value`; ties go to the even number. Values beyond float16's range become infinity. */
export function float16Bits(value: number): number {
  float[0] = value;
  const all = bits[0] as number;
  const sign = (all >>> 16) & 0x8000;
  const magnitude = all & 0x7fffffff;
  if (magnitude >= 0x47800000) return sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00);
  if (magnitude < 0x38800000) {
    // Below float16's smallest normal number: multiples of 2^-24.
    const steps = Math.abs(float[0] as number) * 2 ** 24;
    const floor = Math.floor(steps);
    const rest = steps - floor;
    return sign | (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor);
  }
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((rounded - 0x38000000) >>> 13);
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

function nearestFloat16(value: number): number {
  return float16ToFloat32(Uint16Array.of(float16Bits(value)))[0] as number;
}
