/**
 * A decoder as an ONNX graph, in the form that onnxruntime-genai's builder writes for hub models: GroupQueryAttention that also
 * computes the rotary embedding, packed queries, keys and values (separate if each head has norms), weights in external data.
 */

import type { Model } from "../../src/runtime/engine/onnx/model.ts";
import { elementType } from "../../src/runtime/engine/onnx/model.ts";
import { transpose } from "../stories260k/matrix.ts";
import type { TensorDataFile } from "./data-file.ts";
import { assembleDecoderModel } from "./decoder-model.ts";
import { DecoderGraphBuilder, type FloatType } from "./graph-parts.ts";
import { blockSize, packLevels, quantizeSymmetric } from "./quantize.ts";
import type { DecoderShape } from "./shapes.ts";
import type { WeightSource } from "./weights.ts";

/**
 * fp32: everything in float32. q4 and int8: matrices in symmetric blocks of 32 (see quantize.ts), the rest in float32. q4f16:
 * like q4, the rest in float16.
 */
export const precisions = ["fp32", "q4", "int8", "q4f16"] as const;
export type Precision = (typeof precisions)[number];

/**
 * The graph; tensors larger than a few bytes go to `data`, layer by layer. Inputs: input_ids, attention_mask,
 * past_key_values.N.key and .value. Outputs: logits of every row, present.N.key and .value.
 */
export function decoderGraph(
  shape: DecoderShape,
  source: WeightSource,
  precision: Precision,
  data: TensorDataFile,
): Model {
  return new GraphWriter(shape, source, precision, data).write();
}

const lengths = "/model/attn_mask_reformat/attn_mask_subgraph";
const lastValid = `${lengths}/Sub/Cast/output_0`;
const totalLength = `${lengths}/Gather/Cast/output_0`;

class GraphWriter {
  readonly #parts: DecoderGraphBuilder;
  readonly #shape: DecoderShape;
  readonly #source: WeightSource;
  readonly #precision: Precision;
  readonly #floatType: FloatType;

  constructor(shape: DecoderShape, source: WeightSource, precision: Precision, data: TensorDataFile) {
    this.#shape = shape;
    this.#source = source;
    this.#precision = precision;
    this.#floatType = precision === "q4f16" ? elementType.float16 : elementType.float;
    this.#parts = new DecoderGraphBuilder(data, this.#floatType);
  }

  write(): Model {
    const { layers } = this.#shape;
    this.#addLengths();
    this.#addRotaryTables();
    let stream = this.#addHeadWeights();
    let added: string | null = null;
    for (let index = 0; index < layers; index++) {
      const layer = `/model/layers.${index}`;
      const normed = this.#addNorm(`${layer}/input_layernorm`, stream, added);
      const attended = this.#addAttention(`${layer}/attn`, index, normed.output);
      const after = this.#addNorm(`${layer}/post_attention_layernorm`, normed.stream, attended);
      added = this.#addFeedForward(`${layer}/mlp`, after.output);
      stream = after.stream;
    }
    const { output } = this.#addNorm(`/model/layers.${layers}/final_norm_layernorm`, stream, added);
    this.#addHead(output);
    return assembleDecoderModel(this.#parts.nodes, this.#parts.weights, {
      ...this.#shape,
      floatType: this.#floatType,
    });
  }

  /** seqlens_k = sum of the mask − 1, total_sequence_length = its length, both int32. */
  #addLengths(): void {
    const one = this.#parts.constant([1], [1]);
    const toInt32 = { to: BigInt(elementType.int32) };
    const sum = this.#parts.add("ReduceSum", ["attention_mask", one], `${lengths}/ReduceSum`, {
      keepdims: 0n,
    });
    this.#parts.add(
      "Cast",
      [this.#parts.add("Sub", [sum, one], `${lengths}/Sub`)],
      `${lengths}/Sub/Cast`,
      toInt32,
    );
    const dims = this.#parts.add("Shape", ["attention_mask"], `${lengths}/Shape`);
    const length = this.#parts.add("Gather", [dims, this.#parts.constant([1], [])], `${lengths}/Gather`, {
      axis: 0n,
    });
    this.#parts.add("Cast", [length], `${lengths}/Gather/Cast`, toInt32);
  }

  /** Cosines and sines, (context, headSize / 2). */
  #addRotaryTables(): void {
    const { context, headSize, rotaryTheta } = this.#shape;
    const pairs = headSize / 2;
    const cos = new Float32Array(context * pairs);
    const sin = new Float32Array(context * pairs);
    for (let pair = 0; pair < pairs; pair++) {
      const turn = rotaryTheta ** (-pair / pairs);
      for (let position = 0; position < context; position++) {
        cos[position * pairs + pair] = Math.cos(position * turn);
        sin[position * pairs + pair] = Math.sin(position * turn);
      }
    }
    this.#parts.externalFloats("cos_cache", [context, pairs], cos);
    this.#parts.externalFloats("sin_cache", [context, pairs], sin);
  }

  /** Adds the embedding, whose weights are also the output matrix. Returns its output. */
  #addHeadWeights(): string {
    const { vocabulary, hidden } = this.#shape;
    const weight = this.#addWeight("lm_head", vocabulary, hidden);
    if (this.#precision === "fp32") {
      const turned = this.#parts.add("Transpose", weight, "/model/embed_tokens/Transpose", {
        perm: [1n, 0n],
      });
      return this.#parts.add("Gather", [turned, "input_ids"], "/model/embed_tokens/Gather");
    }
    const [levels, scales] = weight as [string, string];
    const bits = this.#bits;
    const row = (hidden * bits) / 8;
    const table = this.#parts.add(
      "Reshape",
      [levels, this.#parts.constant([vocabulary, row], [2])],
      "/model/embed_tokens/Reshape",
    );
    return this.#parts.add(
      "GatherBlockQuantized",
      [table, "input_ids", scales],
      "/model/embed_tokens/GatherBlockQuantized",
      {
        bits: BigInt(bits),
        block_size: BigInt(blockSize),
        gather_axis: 0n,
        quantize_axis: 1n,
      },
    );
  }

  get #bits(): 4 | 8 {
    return this.#precision === "int8" ? 8 : 4;
  }

  /**
   * Writes a matrix. Returns the name of its float32 values, (inputs, outputs); or the names of its levels and scales, (outputs,
   * blocks, …).
   */
  #addWeight(name: string, rows: number, columns: number): readonly string[] {
    const matrix = this.#source.matrix(name, rows, columns);
    const weightName = `${name}.MatMul.weight`;
    if (this.#precision === "fp32") {
      const { values } = transpose(matrix);
      return [this.#parts.externalFloats(weightName, [columns, rows], values)];
    }
    const quantized = quantizeSymmetric(matrix, this.#bits);
    const blocks = columns / blockSize;
    return [
      this.#parts.externalBytes(
        `${weightName}_Q${this.#bits}G${blockSize}`,
        [rows, blocks, (blockSize * this.#bits) / 8],
        packLevels(quantized),
      ),
      this.#parts.externalFloats(`${weightName}_scale`, [rows, blocks], quantized.scales),
    ];
  }

  /** Multiplies `input` by a matrix with `rows` outputs. */
  #addProduct(prefix: string, input: string, rows: number, columns: number): string {
    const weight = this.#addWeight(prefix.slice(1).replaceAll("/", "."), rows, columns);
    return this.#multiply(prefix, input, weight, rows, columns, `${prefix}/MatMul/output_0`);
  }

  #multiply(
    prefix: string,
    input: string,
    weight: readonly string[],
    rows: number,
    columns: number,
    output: string,
  ): string {
    if (this.#precision === "fp32") {
      return this.#parts.add("MatMul", [input, ...weight], `${prefix}/MatMul`, {}, [output]);
    }
    const attributes = {
      K: BigInt(columns),
      N: BigInt(rows),
      bits: BigInt(this.#bits),
      block_size: BigInt(blockSize),
    };
    return this.#parts.add("MatMulNBits", [input, ...weight], `${prefix}/MatMul_Q${this.#bits}`, attributes, [
      output,
    ]);
  }

  #addHead(input: string): void {
    const { vocabulary, hidden } = this.#shape;
    const name = "lm_head.MatMul.weight";
    const quantized = [`${name}_Q${this.#bits}G${blockSize}`, `${name}_scale`];
    const weight = this.#precision === "fp32" ? [name] : quantized;
    this.#multiply("/lm_head", input, weight, vocabulary, hidden, "logits");
  }

  /**
   * Root-mean-square norm of `stream` (plus `added`). Returns the norm's output, and the sum, which is the residual stream from
   * here on.
   */
  #addNorm(name: string, stream: string, added: string | null): { output: string; stream: string } {
    const weight = this.#addNormWeight(name, this.#shape.hidden);
    const epsilon = Math.fround(this.#shape.epsilon);
    const output = `${name}/output_0`;
    if (added === null) return { output: this.#addPlainNorm(name, stream, weight, output), stream };
    const sum = `${name}/output_3`;
    const outputs = [output, "", "", sum];
    const inputs = [stream, added, weight];
    this.#parts.add(
      "SkipSimplifiedLayerNormalization",
      inputs,
      `${name}/SkipLayerNorm`,
      { epsilon },
      outputs,
    );
    return { output, stream: sum };
  }

  #addPlainNorm(name: string, input: string, weight: string, output: string): string {
    const attributes = { epsilon: Math.fround(this.#shape.epsilon), axis: -1n, stash_type: 1n };
    return this.#parts.add("SimplifiedLayerNormalization", [input, weight], `${name}/LayerNorm`, attributes, [
      output,
    ]);
  }

  #addNormWeight(path: string, length: number): string {
    const name = `${path.slice(1).replaceAll("/", ".")}.weight`;
    return this.#parts.floats(name, [length], this.#source.norm(name.slice(0, -".weight".length), length));
  }

  #addAttention(prefix: string, index: number, input: string): string {
    const { hidden, heads, keyValueHeads, headSize, headNorms } = this.#shape;
    const sizes = { q: heads * headSize, k: keyValueHeads * headSize, v: keyValueHeads * headSize };
    const project = (part: string, rows: number) =>
      this.#addProduct(`${prefix}/${part}_proj`, input, rows, hidden);
    const parts = headNorms
      ? [
          this.#addHeadNorm(`${prefix}/q_norm`, project("q", sizes.q), sizes.q),
          this.#addHeadNorm(`${prefix}/k_norm`, project("k", sizes.k), sizes.k),
          project("v", sizes.v),
        ]
      : [project("qkv", sizes.q + sizes.k + sizes.v), "", ""];
    const past = [`past_key_values.${index}.key`, `past_key_values.${index}.value`];
    const name = `${prefix}/GroupQueryAttention`;
    const attended = this.#parts.add(
      "GroupQueryAttention",
      [...parts, ...past, lastValid, totalLength, "cos_cache", "sin_cache"],
      name,
      {
        num_heads: BigInt(heads),
        kv_num_heads: BigInt(keyValueHeads),
        scale: 1 / Math.sqrt(headSize),
        local_window_size: -1n,
        softcap: 0,
        do_rotary: 1n,
        rotary_interleaved: 0n,
      },
      [`${name}/output_0`, `present.${index}.key`, `present.${index}.value`],
    );
    return this.#addProduct(`${prefix}/o_proj`, attended, hidden, heads * headSize);
  }

  /** Norm of each head of `input`, (…, size). */
  #addHeadNorm(prefix: string, input: string, size: number): string {
    const { headSize } = this.#shape;
    const weight = this.#addNormWeight(prefix, headSize);
    const heads = this.#parts.add(
      "Reshape",
      [input, this.#parts.constant([0, -1, headSize], [3])],
      `${prefix}/Reshape_1`,
    );
    const normed = this.#addPlainNorm(prefix, heads, weight, `${prefix}/LayerNorm/output_0`);
    return this.#parts.add(
      "Reshape",
      [normed, this.#parts.constant([0, -1, size], [3])],
      `${prefix}/Reshape_2`,
    );
  }

  /** down(silu(gate(x)) · up(x)) */
  #addFeedForward(prefix: string, input: string): string {
    const { hidden, intermediate } = this.#shape;
    const gate = this.#addProduct(`${prefix}/gate_proj`, input, intermediate, hidden);
    const up = this.#addProduct(`${prefix}/up_proj`, input, intermediate, hidden);
    const sigmoid = this.#parts.add("Sigmoid", [gate], `${prefix}/act_fn/Sigmoid`);
    const silu = this.#parts.add("Mul", [gate, sigmoid], `${prefix}/act_fn/Mul`);
    const product = this.#parts.add("Mul", [silu, up], `${prefix}/Mul`);
    return this.#addProduct(`${prefix}/down_proj`, product, hidden, intermediate);
  }
}
