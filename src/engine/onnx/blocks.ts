/** Block-quantized weight matrices: their parts, and their values as float32. */
import type { Tensor } from "./model.ts";
import { elementType } from "./model.ts";
import type { ExternalData } from "./tensor.ts";
import { elementCount, tensorBytes, tensorFloats } from "./tensor.ts";

/** A matrix quantized in blocks along its columns. Values are `(level − zero point) × scale`. */
export interface BlockMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly bits: 2 | 4 | 8;
  readonly blockSize: number;
  /** True: levels are in two's complement (int4). False: they are unsigned. */
  readonly signed: boolean;
  /** Levels from the first value on, low bits first; each row starts on a byte. */
  readonly levels: Tensor;
  /** (rows, blocks), float32 or float16. */
  readonly scales: Tensor;
  readonly zeroPoints: ZeroPoints;
}

/**
 * The zero points: one value for all blocks; packed as the levels are, either with each row starting on a byte or without
 * gaps; or floats.
 */
export type ZeroPoints =
  | { readonly kind: "one"; readonly value: number }
  | { readonly kind: "packed"; readonly tensor: Tensor; readonly rowsOnBytes: boolean }
  | { readonly kind: "floats"; readonly tensor: Tensor };

/** Blocks in a row. The last one may be cut short. */
function blocksPerRow({ columns, blockSize }: BlockMatrix): number {
  return Math.ceil(columns / blockSize);
}

/**
 * Says what does not fit together, or null: sizes are compared before anything is computed, since a file may claim
 * whatever it likes.
 */
export function blockMatrixFault(matrix: BlockMatrix): string | null {
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
  if (((stored / rows) * bits) % 8 !== 0) return `rows of ${stored / rows} values that do not start on bytes`;
  if (stored !== rows * columns && stored !== rows * blocks * blockSize) {
    return `weights of shape [${levels.dims}] for ${rows} × ${columns}`;
  }
  if (elementCount(scales.dims) !== rows * blocks) return `scales of shape [${scales.dims}]`;
  if (scales.dataType !== elementType.float && scales.dataType !== elementType.float16) {
    return `scales of element type ${scales.dataType}`;
  }
  return zeroPointFault(matrix, blocks);
}

function zeroPointFault({ rows, bits, zeroPoints }: BlockMatrix, blocks: number): string | null {
  if (zeroPoints.kind === "one") return null;
  const count = elementCount(zeroPoints.tensor.dims);
  const perByte = zeroPoints.tensor.dataType === elementType.uint8 ? 8 / bits : 1;
  const expected = zeroPoints.kind === "floats" ? rows * blocks : rows * Math.ceil(blocks / perByte);
  return count === expected ? null : `zero points of shape [${zeroPoints.tensor.dims}]`;
}

/** What `Unpack` has to know of one block. */
interface Block {
  /** Index of its first byte among the levels. */
  readonly byte: number;
  readonly scale: number;
  readonly zero: number;
  /** The span of the target that the block's values fill. */
  readonly start: number;
  readonly end: number;
}

/** Writes the values, (rows, columns) row-major, into `target`. */
export function dequantizeBlocks(matrix: BlockMatrix, external: ExternalData, target: Float32Array): void {
  rowReader(matrix, external)({ first: 0, end: matrix.rows }, target);
}

/** Writes the values of some rows, from `first` to the one before `end`, into the beginning of `target`. */
export type RowReader = (
  rows: { readonly first: number; readonly end: number },
  target: Float32Array,
) => void;

/** Reads the matrix once, for its values to be worked out by rows. */
export function rowReader(matrix: BlockMatrix, external: ExternalData): RowReader {
  const { rows, columns, bits, blockSize } = matrix;
  const levels = tensorBytes(matrix.levels, external);
  const scales = tensorFloats(matrix.scales, external);
  const zeros = zeroPointValues(matrix, external);
  const blocks = blocksPerRow(matrix);
  const rowBytes = levels.length / rows;
  const unpack = bits === 4 ? nibbleUnpacker(matrix.signed) : unpackAny(bits, matrix.signed);
  return ({ first, end }, target) => {
    for (let row = first; row < end; row++) {
      for (let block = 0; block < blocks; block++) {
        const column = block * blockSize;
        const start = (row - first) * columns;
        unpack(levels, target, {
          // A block has 16 levels or more, so its first level begins on a byte.
          byte: row * rowBytes + (column * bits) / 8,
          scale: scales[row * blocks + block] as number,
          zero: zeros[row * blocks + block] as number,
          start: start + column,
          end: start + Math.min(column + blockSize, columns),
        });
      }
    }
  };
}

type Unpack = (levels: Uint8Array, target: Float32Array, block: Block) => void;

/**
 * The value of a level. `half` is half the number of levels for signed levels, so that `(level ^ half) - half` reads them
 * as two's complement, and 0 for unsigned ones.
 */
function levelValue(level: number, half: number, { zero, scale }: Block): number {
  return ((level ^ half) - half - zero) * scale;
}

/**
 * Unpacks 4-bit blocks: computes the 16 values of each block once and looks them up, in less than half the time of
 * `unpackAny`.
 */
function nibbleUnpacker(signed: boolean): Unpack {
  const values = new Float32Array(16);
  return (levels, target, block) => {
    for (let level = 0; level < 16; level++) values[level] = levelValue(level, signed ? 8 : 0, block);
    let { byte } = block;
    for (let i = block.start; i < block.end; i += 2) {
      const pair = levels[byte++] as number;
      target[i] = values[pair & 15] as number;
      if (i + 1 < block.end) target[i + 1] = values[pair >> 4] as number;
    }
  };
}

function unpackAny(bits: number, signed: boolean): Unpack {
  const half = signed ? 2 ** (bits - 1) : 0;
  const mask = 2 ** bits - 1;
  return (levels, target, block) => {
    for (let i = 0; i < block.end - block.start; i++) {
      const place = i * bits;
      const level = ((levels[block.byte + (place >> 3)] as number) >> (place & 7)) & mask;
      target[block.start + i] = levelValue(level, half, block);
    }
  };
}

/** Zero points, (rows, blocks). */
function zeroPointValues(matrix: BlockMatrix, external: ExternalData): Float32Array {
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
