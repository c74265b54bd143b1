/** llama2.c's forward pass and encoder, written again in plain loops: what the graph and the tokenizer files must agree with. */
import type { Checkpoint } from "../checkpoint.ts";
import type { VocabularyPiece } from "../tokenizer-files.ts";

const theta = 10_000;

/** The result of a token's forward pass: the residual stream after each layer, (layers, dim), and logits. */
export interface Llama2PassResult {
  readonly hidden: readonly Float32Array[];
  readonly logits: Float32Array;
}

/** Logits after each token, (tokens, vocabulary). */
export function llama2Logits(checkpoint: Checkpoint, tokens: readonly number[]): Float32Array[] {
  return llama2PassResults(checkpoint, tokens).map(({ logits }) => logits);
}

/** Final norm and head on a row of the stream. */
export function llama2LogitsOfHidden(checkpoint: Checkpoint, row: ArrayLike<number>): Float32Array {
  const { dim, vocabulary, embedding, finalNorm } = checkpoint;
  return Float32Array.from(times(embedding.subarray(0, vocabulary * dim), norm(Array.from(row), finalNorm)));
}

/** @param steering what is added to the stream behind a layer, at a position. */
export function llama2PassResults(
  checkpoint: Checkpoint,
  tokens: readonly number[],
  steering: (position: number, layer: number) => ArrayLike<number> | undefined = () => undefined,
): Llama2PassResult[] {
  const { dim, heads, kvHeads, embedding } = checkpoint;
  const size = dim / heads;
  const keys: number[][][] = checkpoint.layer.map(() => []);
  const values: number[][][] = checkpoint.layer.map(() => []);
  return tokens.map((token, position) => {
    const x = Array.from(embedding.subarray(token * dim, (token + 1) * dim));
    const hidden: Float32Array[] = [];
    checkpoint.layer.forEach((layer, index) => {
      const normed = norm(x, layer.attentionNorm);
      const q = times(layer.wq, normed);
      const k = times(layer.wk, normed);
      turn(q, size, position);
      turn(k, size, position);
      keys[index]?.push(k);
      values[index]?.push(times(layer.wv, normed));
      const mixed = attend(q, keys[index] ?? [], values[index] ?? [], size, heads / kvHeads);
      add(x, times(layer.wo, mixed));
      const middle = norm(x, layer.feedForwardNorm);
      const gate = times(layer.w1, middle);
      const up = times(layer.w3, middle);
      const product = gate.map((value, i) => (value / (1 + Math.exp(-value))) * (up[i] ?? 0));
      add(x, times(layer.w2, product));
      add(x, Array.from(steering(position, index) ?? []));
      hidden.push(Float32Array.from(x));
    });
    return { hidden, logits: llama2LogitsOfHidden(checkpoint, x) };
  });
}

function norm(x: readonly number[], weight: Float32Array): number[] {
  const meanSquare = x.reduce((sum, value) => sum + value * value, 0) / x.length;
  const factor = 1 / Math.sqrt(meanSquare + 1e-5);
  return x.map((value, i) => value * factor * (weight[i] ?? 0));
}

function times(weight: Float32Array, x: readonly number[]): number[] {
  const rows = weight.length / x.length;
  return Array.from({ length: rows }, (_, row) =>
    x.reduce((sum, value, column) => sum + value * (weight[row * x.length + column] ?? 0), 0),
  );
}

function add(x: number[], more: readonly number[]): void {
  more.forEach((value, i) => {
    x[i] = (x[i] ?? 0) + value;
  });
}

/** Rotary embedding in place, neighbours together. */
function turn(x: number[], size: number, position: number): void {
  for (let i = 0; i < x.length; i += 2) {
    const angle = position / theta ** ((i % size) / size);
    const first = x[i] ?? 0;
    const second = x[i + 1] ?? 0;
    x[i] = first * Math.cos(angle) - second * Math.sin(angle);
    x[i + 1] = first * Math.sin(angle) + second * Math.cos(angle);
  }
}

function attend(q: number[], keys: number[][], values: number[][], size: number, group: number): number[] {
  const mixed: number[] = new Array(q.length).fill(0);
  for (let head = 0; head < q.length / size; head++) {
    const from = head * size;
    const keyFrom = Math.floor(head / group) * size;
    const dot = (key: number[]) => {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += (q[from + i] ?? 0) * (key[keyFrom + i] ?? 0);
      return sum / Math.sqrt(size);
    };
    const scores = keys.map(dot);
    const largest = Math.max(...scores);
    const weights = scores.map((score) => Math.exp(score - largest));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    values.forEach((value, position) => {
      for (let i = 0; i < size; i++) {
        mixed[from + i] =
          (mixed[from + i] ?? 0) + ((weights[position] ?? 0) / total) * (value[keyFrom + i] ?? 0);
      }
    });
  }
  return mixed;
}

/** llama2.c's encoder: a space, characters or their bytes, then the best-scored pair again and again. No begin token. */
export function llama2Encode(pieces: readonly VocabularyPiece[], text: string): number[] {
  if (text === "") return [];
  const ids = new Map(pieces.map((piece, id) => [piece.text, id]));
  const tokens = Array.from(` ${text}`).flatMap((character) => {
    const id = ids.get(character);
    return id === undefined ? Array.from(new TextEncoder().encode(character), (byte) => byte + 3) : [id];
  });
  for (;;) {
    let best = { score: Number.NEGATIVE_INFINITY, id: -1, index: -1 };
    for (let index = 0; index + 1 < tokens.length; index++) {
      const id = ids.get(`${pieces[tokens[index] ?? 0]?.text}${pieces[tokens[index + 1] ?? 0]?.text}`);
      const score = id === undefined ? Number.NEGATIVE_INFINITY : (pieces[id]?.score ?? 0);
      if (id !== undefined && score > best.score) best = { score, id, index };
    }
    if (best.index === -1) return tokens;
    tokens.splice(best.index, 2, best.id);
  }
}
