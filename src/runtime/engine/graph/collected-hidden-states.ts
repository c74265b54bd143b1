/** Collects the hidden states of layers over the passes of one call, and joins them in order. */
export class CollectedHiddenStates {
  /** The layers whose hidden states the next passes collect. */
  layers: readonly number[] = [];
  #parts = new Map<number, Float32Array[]>();

  keep(layers: readonly number[]): void {
    this.layers = layers;
  }

  forget(): void {
    this.#parts = new Map();
  }

  add(layer: number, rows: Float32Array): void {
    const parts = this.#parts.get(layer) ?? [];
    parts.push(rows);
    this.#parts.set(layer, parts);
  }

  /** A copy of all rows of a layer, `(rows, hidden)`. @throws RangeError if nothing was collected */
  of(layer: number): Float32Array {
    const parts = this.#parts.get(layer);
    if (!parts) throw noHiddenStatesError(layer);
    const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}

export function noHiddenStatesError(layer: number): RangeError {
  return new RangeError(
    `The last pass saved no hidden states of layer ${layer}: call keep() with this layer before the pass.`,
  );
}
