/** Converts block-quantized matrices to int8 with one scale for each row, for which the runtime has fast products: one byte per weight. */

import type { ExternalData } from "../base/weight-bytes.ts";
import { type BlockQuantizedMatrix, createRowReader } from "./blocks.ts";

const largestLevel = 127;
/** Number of rows that are converted to float32 at a time. */
const rowsAtOnce = 64;

export class Int8RowQuantizer {
  readonly #matrix: BlockQuantizedMatrix;
  readonly #external: ExternalData;
  #scales: Float32Array | null = null;

  constructor(matrix: BlockQuantizedMatrix, external: ExternalData) {
    this.#matrix = matrix;
    this.#external = external;
  }

  /** The scale of each row, (rows): its largest magnitude / 127. */
  scales(): Float32Array {
    if (this.#scales) return this.#scales;
    const { columns } = this.#matrix;
    const scales = new Float32Array(this.#matrix.rows);
    this.#eachRow((row, values, start) => {
      let largest = 0;
      for (let i = start; i < start + columns; i++)
        largest = Math.max(largest, Math.abs(values[i] as number));
      scales[row] = largest / largestLevel;
    });
    this.#scales = scales;
    return scales;
  }

  /** Writes the levels as (columns, rows), the order of MatMulInteger's second input. */
  levels(target: Int8Array): void {
    const { rows, columns } = this.#matrix;
    const scales = this.scales();
    this.#eachRow((row, values, start) => {
      const scale = scales[row] as number;
      const inverse = scale === 0 ? 0 : 1 / scale;
      for (let column = 0; column < columns; column++) {
        target[column * rows + row] = Math.round((values[start + column] as number) * inverse);
      }
    });
  }

  #eachRow(visit: (row: number, values: Float32Array, start: number) => void): void {
    const { rows, columns } = this.#matrix;
    const values = new Float32Array(Math.min(rows, rowsAtOnce) * columns);
    const read = createRowReader(this.#matrix, this.#external);
    for (let first = 0; first < rows; first += rowsAtOnce) {
      const end = Math.min(rows, first + rowsAtOnce);
      read({ first, end }, values);
      for (let row = first; row < end; row++) visit(row, values, (row - first) * columns);
    }
  }
}
