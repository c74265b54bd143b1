/** Block-quantized matrices as int8 with one scale for each row: a byte per weight, in a form that the runtime has fast products for. */

import type { ExternalData } from "../base/weight-bytes.ts";
import { type BlockMatrix, rowReader } from "./blocks.ts";

const largestLevel = 127;
/** Rows that are float32 at one time. */
const rowsAtOnce = 64;

export class Int8Rows {
  readonly #matrix: BlockMatrix;
  readonly #external: ExternalData;
  #scales: Float32Array | null = null;

  constructor(matrix: BlockMatrix, external: ExternalData) {
    this.#matrix = matrix;
    this.#external = external;
  }

  /** The largest magnitude of each row / 127, (rows). */
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

  /** Writes the levels, (columns, rows): the order of MatMulInteger's second input. */
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
    const read = rowReader(this.#matrix, this.#external);
    for (let first = 0; first < rows; first += rowsAtOnce) {
      const end = Math.min(rows, first + rowsAtOnce);
      read({ first, end }, values);
      for (let row = first; row < end; row++) visit(row, values, (row - first) * columns);
    }
  }
}
