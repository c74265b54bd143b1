/** Reads and changes the activations of a model layer by layer: the optional part of the port `LanguageModel`. */

/**
 * Rows of `hiddenSize` floats by layer, counted from 0: each is added to the residual stream behind that layer, at every token that is
 * computed meanwhile (Turner et al. 2023, "Steering Language Models With Activation Engineering").
 */
export type SteeringVectors = ReadonlyMap<number, Float32Array>;

/**
 * The residual stream of a model. Each layer reads the stream and adds to it; after the last layer, final norm and head turn
 * the stream into logits. Calls do not overlap with calls of the model.
 */
export interface ModelLayers {
  readonly count: number;
  /** Width of the residual stream. */
  readonly hiddenSize: number;
  /**
   * Steers the tokens that are computed from now on; an empty map ends steering. Tokens in the context keep the
   * steering under which they were computed, even if a later pass computes a part of them again. The model copies the
   * vectors.
   * @throws RangeError for a missing layer, a vector of another length, or numbers that are not finite; the message
   * says which.
   */
  steer(vectors: SteeringVectors): void;
  /** Sets the layers whose rows the next passes save; none at first. @throws RangeError for a layer that does not exist. */
  keep(layers: readonly number[]): void;
  /**
   * The stream after a layer, `(rows, hiddenSize)`, at the tokens of the last pass whose logits were requested, oldest
   * first, with steering. The caller owns the array.
   * @throws RangeError if that pass saved no rows of the layer.
   * @throws ModelDeadError as `forward`.
   */
  hidden(layer: number): Promise<Float32Array>;
  /**
   * The logits that final norm and head make of rows of the stream, `(rows, hiddenSize)` to `(rows, vocabulary)`: of the last layer's
   * the model's own, of an inner one's what it would say if it were the last (the logit lens). Context and steering have no part in it.
   * @throws RangeError for rows of another width, none, or numbers that are not finite. @throws ModelDeadError as `forward`.
   */
  lens(rows: Float32Array): Promise<Float32Array>;
}

/** @throws RangeError if `layer` is not one of the `count` layers. */
export function checkLayer(layer: number, count: number): void {
  if (!Number.isInteger(layer) || layer < 0 || layer >= count)
    throw new RangeError(`There is no layer ${layer}: the model has ${count} layers, 0 to ${count - 1}.`);
}

/** Copies of the vectors. @throws RangeError as `ModelLayers.steer`. */
export function checkedVectors(
  vectors: SteeringVectors,
  { count, hiddenSize }: Pick<ModelLayers, "count" | "hiddenSize">,
): SteeringVectors {
  const entries = Array.from(vectors, ([layer, vector]) => {
    checkVector(layer, vector, { count, hiddenSize });
    return [layer, vector.slice()] as const;
  });
  return new Map(entries);
}

/** @throws RangeError as `ModelLayers.steer`. */
export function checkVector(
  layer: number,
  vector: Float32Array,
  { count, hiddenSize }: Pick<ModelLayers, "count" | "hiddenSize">,
): void {
  checkLayer(layer, count);
  if (vector.length !== hiddenSize)
    throw new RangeError(
      `The vector for layer ${layer} has ${vector.length} numbers, but the hidden states of this model have ${hiddenSize}.`,
    );
  checkFinite(vector, `The vector for layer ${layer}`);
}

/** @throws RangeError as `ModelLayers.lens`. */
export function checkRows(rows: Float32Array, hiddenSize: number): void {
  if (rows.length === 0 || rows.length % hiddenSize !== 0)
    throw new RangeError(
      `The lens got ${rows.length} numbers: give one or more whole rows of ${hiddenSize} numbers.`,
    );
  checkFinite(rows, "A row for the lens");
}

function checkFinite(numbers: Float32Array, what: string): void {
  const at = numbers.findIndex((number) => !Number.isFinite(number));
  if (at >= 0) throw new RangeError(`${what} has ${numbers[at]} at index ${at}: all numbers must be finite.`);
}
