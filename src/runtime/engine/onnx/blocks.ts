/** Block-quantized weight matrices: their fields, and their conversion to float32. */

import type { ExternalData } from "../base/weight-bytes.ts";
import type { Tensor } from "./model.ts";
import { elementType } from "./model.ts";
import { elementCount, tensorBytes, tensorFloats } from "./tensor.ts";

/** A matrix quantized in blocks along its columns. Values are `(level − zero point) × scale`. */
export interface BlockQuantizedMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly bits: 2 | 4 | 8;
  readonly blockSize: number;
  /** True: levels are in two's complement (int4). False: they are unsigned. */
  readonly signed: boolean;
  /** All levels, low bits first; each row starts at a byte. */
  readonly levels: Tensor;
  /** (rows, blocks), float32 or float16. */
  readonly scales: Tensor;
  readonly zeroPoints: ZeroPoints;
}

/**
 * The zero points: one value for all blocks, or packed like the levels (each row starting at a byte, or without gaps), or
 * floats.
 */
export type ZeroPoints =
  | { readonly kind: "one"; readonly value: number }
  | { readonly kind: "packed"; readonly tensor: Tensor; readonly rowsOnBytes: boolean }
  | { readonly kind: "floats"; readonly tensor: Tensor };

/** Number of blocks in a row. The last block may be shorter. */
function blocksPerRow({ columns, blockSize }: BlockQuantizedMatrix): number {
  return Math.ceil(columns / blockSize);
}

/**
 * A description of sizes that do not agree, or null. Sizes are compared before anything is computed, because the file is
 * untrusted.
 */
export function blockQuantizedMatrixFault(matrix: BlockQuantizedMatrix): string | null {
  const { rows, columns, bits, blockSize, levels, scales } = matrix;
  if (![2, 4, 8].includes(bits)) return `${bits} bits`;
  if (![rows, columns].every((size) => Number.isSafeInteger(size) && size > 0))
    return `size ${rows} × ${columns}`;
  if (!Number.isSafeInteger(blockSize) || blockSize < 16 || blockSize & (blockSize - 1)) {
    return `blocks of ${blockSize}`;
  }
  const blocks = blocksPerRow(matrix);
  const perByte = levels.dataType === elementType.uint8 ? 8 / bits : 1;
  const stored = elementCount(levels.dims) * perByte;
  if (((stored / rows) * bits) % 8 !== 0)
    return `rows of ${stored / rows} values, which do not fill whole bytes`;
  if (stored !== rows * columns && stored !== rows * blocks * blockSize) {
    return `weights of shape [${levels.dims}] for a matrix of ${rows} × ${columns}`;
  }
  if (elementCount(scales.dims) !== rows * blocks) return `scales of shape [${scales.dims}]`;
  if (scales.dataType !== elementType.float && scales.dataType !== elementType.float16) {
    return `scales of element type ${scales.dataType}`;
  }
  return zeroPointFault(matrix, blocks);
}

function zeroPointFault({ rows, bits, zeroPoints }: BlockQuantizedMatrix, blocks: number): string | null {
  if (zeroPoints.kind === "one") return null;
  const count = elementCount(zeroPoints.tensor.dims);
  const perByte = zeroPoints.tensor.dataType === elementType.uint8 ? 8 / bits : 1;
  const expected = zeroPoints.kind === "floats" ? rows * blocks : rows * Math.ceil(blocks / perByte);
  return count === expected ? null : `zero points of shape [${zeroPoints.tensor.dims}]`;
}

/** Writes the values, (rows, columns) row-major, into `target`. */
export function dequantizeBlocks(
  matrix: BlockQuantizedMatrix,
  external: ExternalData,
  target: Float32Array,
): void {
  createRowReader(matrix, external)({ first: 0, end: matrix.rows }, target);
}

/** Writes the values of the rows `first` to `end - 1` to the beginning of `target`. */
export type RowReader = (
  rows: { readonly first: number; readonly end: number },
  target: Float32Array,
) => void;

/** Reads the matrix once, and returns a function that computes the values of some rows. */
export function createRowReader(matrix: BlockQuantizedMatrix, external: ExternalData): RowReader {
  const { rows, columns, bits, blockSize } = matrix;
  const levels = tensorBytes(matrix.levels, external);
  const scales = tensorFloats(matrix.scales, external);
  const zeros = zeroPointValues(matrix, external);
  const blocks = blocksPerRow(matrix);
  const rowBytes = levels.length / rows;
  const unpackFourBits = matrix.signed ? unpackSignedNibbles : unpackNibbles;
  const unpack = bits === 4 ? unpackFourBits : unpackAny(bits, matrix.signed);
  return ({ first, end }, target) => {
    for (let row = first; row < end; row++) {
      const start = (row - first) * columns;
      for (let block = 0; block < blocks; block++) {
        const at = row * blocks + block;
        const column = block * blockSize;
        // A block has at least 16 levels, so its first level begins at a byte.
        const byte = row * rowBytes + (column * bits) / 8;
        const last = start + Math.min(column + blockSize, columns);
        unpack(levels, byte, target, start + column, last, scales[at] as number, zeros[at] as number);
      }
    }
  };
}

/**
 * Writes one block's values to `target[start]` … `target[end - 1]`; its levels begin at `levels[byte]`. The parameters are
 * plain numbers, because allocating an object for each block would take longer than the arithmetic.
 */
type Unpack = (
  levels: Uint8Array,
  byte: number,
  target: Float32Array,
  start: number,
  end: number,
  scale: number,
  zero: number,
) => void;

const unpackNibbles: Unpack = (levels, byte, target, start, end, scale, zero) => {
  const pairs = end - 1;
  let i = start;
  for (; i < pairs; i += 2) {
    const pair = levels[byte++] as number;
    target[i] = ((pair & 15) - zero) * scale;
    target[i + 1] = ((pair >> 4) - zero) * scale;
  }
  if (i < end) target[i] = (((levels[byte] as number) & 15) - zero) * scale;
};

/** Like `unpackNibbles`, for levels in two's complement: shifting left and back right extends the sign bit. */
const unpackSignedNibbles: Unpack = (levels, byte, target, start, end, scale, zero) => {
  const pairs = end - 1;
  let i = start;
  for (; i < pairs; i += 2) {
    const pair = levels[byte++] as number;
    target[i] = (((pair << 28) >> 28) - zero) * scale;
    target[i + 1] = (((pair << 24) >> 28) - zero) * scale;
  }
  if (i < end) target[i] = ((((levels[byte] as number) << 28) >> 28) - zero) * scale;
};

function unpackAny(bits: number, signed: boolean): Unpack {
  // `(level ^ half) - half` reads two's complement; with `half` = 0 it leaves an unsigned level unchanged.
  const half = signed ? 2 ** (bits - 1) : 0;
  const mask = 2 ** bits - 1;
  return (levels, byte, target, start, end, scale, zero) => {
    for (let i = 0; i < end - start; i++) {
      const place = i * bits;
      const level = ((levels[byte + (place >> 3)] as number) >> (place & 7)) & mask;
      target[start + i] = ((level ^ half) - half - zero) * scale;
    }
  };
}

/** The zero points as numbers, (rows, blocks). */
function zeroPointValues(matrix: BlockQuantizedMatrix, external: ExternalData): Float32Array {
  const { rows, bits, signed, zeroPoints } = matrix;
  const blocks = blocksPerRow(matrix);
  if (zeroPoints.kind === "one") return new Float32Array(rows * blocks).fill(zeroPoints.value);
  if (zeroPoints.kind === "floats") return tensorFloats(zeroPoints.tensor, external);
  const bytes = tensorBytes(zeroPoints.tensor, external);
  const perByte = 8 / bits;
  const perRow = zeroPoints.rowsOnBytes ? Math.ceil(blocks / perByte) * perByte : blocks;
  const half = signed ? 2 ** (bits - 1) : 0;
  const values = new Float32Array(rows * blocks);
  for (let i = 0; i < values.length; i++) {
    const place = Math.floor(i / blocks) * perRow + (i % blocks);
    const level = ((bytes[Math.floor(place / perByte)] ?? 0) >> ((place % perByte) * bits)) & (2 ** bits - 1);
    values[i] = (level ^ half) - half;
  }
  return values;
}
