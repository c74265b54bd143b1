/** A decoder's forward pass in plain loops, float64: what the generated graphs must agree with. */
import type { DecoderShape } from "../shapes.ts";
import type { WeightSource } from "../weights.ts";

/** A decoder that is small enough for these loops. */
export const smallShape: DecoderShape = {
  layers: 2,
  hidden: 64,
  intermediate: 96,
  heads: 4,
  keyValueHeads: 2,
  headSize: 16,
  vocabulary: 96,
  context: 64,
  rotaryTheta: 10_000,
  epsilon: 1e-5,
  headNorms: false,
};

/** Logits after each token, (tokens, vocabulary). `embedding`: (vocabulary, hidden), that of the source unless given. */
export function referenceLogits(
  shape: DecoderShape,
  source: WeightSource,
  tokens: readonly number[],
  embedding = source.matrix("lm_head", shape.vocabulary, shape.hidden).values,
): Float32Array[] {
  const { layers, hidden, intermediate, heads, keyValueHeads, headSize, vocabulary, headNorms } = shape;
  const product = (name: string, rows: number, x: readonly number[]) => {
    const { values } = source.matrix(name, rows, x.length);
    return Array.from({ length: rows }, (_, row) =>
      x.reduce((sum, value, column) => sum + value * (values[row * x.length + column] ?? 0), 0),
    );
  };
  const norm = (name: string, x: readonly number[]) => {
    const weight = source.norm(name, x.length);
    const meanSquare = x.reduce((sum, value) => sum + value * value, 0) / x.length;
    return x.map((value, i) => (value / Math.sqrt(meanSquare + shape.epsilon)) * (weight[i] ?? 0));
  };
  const headsOf = (x: readonly number[]) =>
    Array.from({ length: x.length / headSize }, (_, head) => x.slice(head * headSize, (head + 1) * headSize));
  /** Turns the pairs (i, i + half) of a head. */
  const turned = (head: readonly number[], position: number) =>
    head.map((value, i) => {
      const half = headSize / 2;
      const angle = position * shape.rotaryTheta ** (-(i % half) / half);
      const other = i < half ? -(head[i + half] ?? 0) : (head[i - half] ?? 0);
      return value * Math.cos(angle) + other * Math.sin(angle);
    });
  const projections = (prefix: string, x: readonly number[]) => {
    const q = heads * headSize;
    const kv = keyValueHeads * headSize;
    if (!headNorms) {
      const packed = headsOf(product(`${prefix}.qkv_proj`, q + 2 * kv, x));
      const values = packed.splice(heads + keyValueHeads);
      return { queries: packed.splice(0, heads), keys: packed, values };
    }
    const normed = (part: string, rows: number) =>
      headsOf(product(`${prefix}.${part}_proj`, rows, x)).map((head) => norm(`${prefix}.${part}_norm`, head));
    return {
      queries: normed("q", q),
      keys: normed("k", kv),
      values: headsOf(product(`${prefix}.v_proj`, kv, x)),
    };
  };
  const cache = Array.from({ length: layers }, () => ({
    keys: [] as number[][][],
    values: [] as number[][][],
  }));

  return tokens.map((token, position) => {
    let stream = Array.from(embedding.subarray(token * hidden, (token + 1) * hidden));
    const add = (more: readonly number[]) => {
      stream = stream.map((value, i) => value + (more[i] ?? 0));
    };
    cache.forEach((past, layer) => {
      const prefix = `model.layers.${layer}`;
      const { queries, keys, values } = projections(
        `${prefix}.attn`,
        norm(`${prefix}.input_layernorm`, stream),
      );
      past.keys.push(keys.map((head) => turned(head, position)));
      past.values.push(values);
      const mixed = queries.flatMap((query, head) => {
        const group = Math.floor((head * keyValueHeads) / heads);
        const turnedQuery = turned(query, position);
        const scores = past.keys.map((row) => {
          const key = row[group] ?? [];
          return turnedQuery.reduce((sum, value, i) => sum + value * (key[i] ?? 0), 0) / Math.sqrt(headSize);
        });
        const largest = Math.max(...scores);
        const weights = scores.map((score) => Math.exp(score - largest));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        return query.map((_, i) =>
          weights.reduce(
            (sum, weight, row) => sum + (weight / total) * (past.values[row]?.[group]?.[i] ?? 0),
            0,
          ),
        );
      });
      add(product(`${prefix}.attn.o_proj`, hidden, mixed));
      const middle = norm(`${prefix}.post_attention_layernorm`, stream);
      const gate = product(`${prefix}.mlp.gate_proj`, intermediate, middle);
      const up = product(`${prefix}.mlp.up_proj`, intermediate, middle);
      const gated = gate.map((value, i) => (value / (1 + Math.exp(-value))) * (up[i] ?? 0));
      add(product(`${prefix}.mlp.down_proj`, hidden, gated));
    });
    return Float32Array.from(
      product("lm_head", vocabulary, norm(`model.layers.${layers}.final_norm_layernorm`, stream)),
    );
  });
}
