/** Reads a llama2.c checkpoint. */

export interface Checkpoint {
  readonly dim: number;
  readonly hiddenDim: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly vocabulary: number;
  readonly sequenceLength: number;
  /** (vocabulary, dim); also the output matrix. */
  readonly embedding: Float32Array;
  readonly layer: readonly CheckpointLayer[];
  /** (dim) */
  readonly finalNorm: Float32Array;
}

/** Matrices are (out, in), row-major. */
export interface CheckpointLayer {
  /** (dim) */
  readonly attentionNorm: Float32Array;
  /** (dim, dim) */
  readonly wq: Float32Array;
  /** (kvDim, dim) */
  readonly wk: Float32Array;
  /** (kvDim, dim) */
  readonly wv: Float32Array;
  /** (dim, dim) */
  readonly wo: Float32Array;
  /** (dim) */
  readonly feedForwardNorm: Float32Array;
  /** (hiddenDim, dim) */
  readonly w1: Float32Array;
  /** (dim, hiddenDim) */
  readonly w2: Float32Array;
  /** (hiddenDim, dim) */
  readonly w3: Float32Array;
}

const headerBytes = 28;

/** @throws RangeError if the file is shorter than its header says, or has a separate output matrix */
export function readCheckpoint(bytes: Uint8Array): Checkpoint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = (index: number) => view.getInt32(index * 4, true);
  const dim = header(0);
  const hiddenDim = header(1);
  const layers = header(2);
  const heads = header(3);
  const kvHeads = header(4);
  const vocabulary = header(5);
  const sequenceLength = header(6);
  if (vocabulary <= 0) {
    throw new RangeError(
      `Vocabulary ${vocabulary}: a checkpoint with its own output matrix is not supported.`,
    );
  }
  let position = headerBytes;
  const take = (count: number): Float32Array => {
    if (position + count * 4 > bytes.length) {
      throw new RangeError(`The checkpoint has ${bytes.length} bytes; ${position + count * 4} are needed.`);
    }
    const values = Float32Array.from({ length: count }, (_, i) => view.getFloat32(position + i * 4, true));
    position += count * 4;
    return values;
  };
  const takeLayers = (count: number) => Array.from({ length: layers }, () => take(count));
  const kvDim = (dim / heads) * kvHeads;
  const embedding = take(vocabulary * dim);
  const attentionNorm = takeLayers(dim);
  const wq = takeLayers(dim * dim);
  const wk = takeLayers(kvDim * dim);
  const wv = takeLayers(kvDim * dim);
  const wo = takeLayers(dim * dim);
  const feedForwardNorm = takeLayers(dim);
  const w1 = takeLayers(hiddenDim * dim);
  const w2 = takeLayers(dim * hiddenDim);
  const w3 = takeLayers(hiddenDim * dim);
  const finalNorm = take(dim);
  const layer = attentionNorm.map((norm, i) => ({
    attentionNorm: norm,
    wq: at(wq, i),
    wk: at(wk, i),
    wv: at(wv, i),
    wo: at(wo, i),
    feedForwardNorm: at(feedForwardNorm, i),
    w1: at(w1, i),
    w2: at(w2, i),
    w3: at(w3, i),
  }));
  const sizes = { dim, hiddenDim, layers, heads, kvHeads, vocabulary, sequenceLength };
  return { ...sizes, embedding, layer, finalNorm };
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`No item ${index} of ${items.length}.`);
  return item;
}
