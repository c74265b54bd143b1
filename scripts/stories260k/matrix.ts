/** Rearrangements of weight matrices: rows are outputs, columns are inputs, row-major. */

export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  /** (rows, columns) */
  readonly values: Float32Array;
}

export function matrix(rows: number, columns: number, values: Float32Array): Matrix {
  if (values.length !== rows * columns) {
    throw new RangeError(`${values.length} values do not make a ${rows} × ${columns} matrix.`);
  }
  return { rows, columns, values };
}

/** A matrix of the given size whose row `place(r)` is row `r` of `source`; other rows are zero. */
export function placeRows(source: Matrix, rows: number, place: (row: number) => number): Matrix {
  const values = new Float32Array(rows * source.columns);
  for (let row = 0; row < source.rows; row++) {
    const from = row * source.columns;
    values.set(source.values.subarray(from, from + source.columns), place(row) * source.columns);
  }
  return { rows, columns: source.columns, values };
}

/** `placeRows` for columns. */
export function placeColumns(source: Matrix, columns: number, place: (column: number) => number): Matrix {
  return transpose(placeRows(transpose(source), columns, place));
}

export function transpose({ rows, columns, values }: Matrix): Matrix {
  const turned = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      turned[column * rows + row] = values[row * columns + column] ?? 0;
    }
  }
  return { rows: columns, columns: rows, values: turned };
}

/** Matrices with the same columns, one under the other. */
export function stackRows(matrices: readonly Matrix[]): Matrix {
  const columns = matrices[0]?.columns ?? 0;
  const rows = matrices.reduce((sum, each) => sum + each.rows, 0);
  const values = new Float32Array(rows * columns);
  let position = 0;
  for (const each of matrices) {
    values.set(each.values, position);
    position += each.values.length;
  }
  return matrix(rows, columns, values);
}
