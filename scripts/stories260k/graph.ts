/** The model as an ONNX graph, in the form that onnxruntime-genai's builder writes for hub models. */
import { makeFloatTensor, makeNode, makeTensor } from "../../src/runtime/engine/onnx/make.ts";
import type { Model, Node, Tensor } from "../../src/runtime/engine/onnx/model.ts";
import { elementType } from "../../src/runtime/engine/onnx/model.ts";
import { assembleDecoderModel } from "../models/decoder-model.ts";
import type { Checkpoint, CheckpointLayer } from "./checkpoint.ts";
import { outputProjection, packedQkvProjection, rotaryTables, widenedHeadSize } from "./heads.ts";
import type { Matrix } from "./matrix.ts";
import { matrix, transpose } from "./matrix.ts";
import { quantize } from "./quantize.ts";

const epsilon = Math.fround(1e-5);
const contrib = "com.microsoft";
const blockSize = 32;

export type StoryPrecision = "fp32" | "q4";

/** The nodes and weights of the graph that is being built. */
interface Draft {
  readonly precision: StoryPrecision;
  readonly nodes: Node[];
  readonly weights: Tensor[];
}

/** Inputs input_ids, attention_mask, past_key_values.N.key / .value; outputs logits of every row, present.N.key / .value. */
export function storyGraph(checkpoint: Checkpoint, precision: StoryPrecision): Model {
  const draft: Draft = { precision, nodes: [], weights: [] };
  addLengths(draft);
  addEmbedding(draft);
  let stream = "/model/embed_tokens/Gather/output_0";
  let added: string | null = null;
  checkpoint.layer.forEach((layer, index) => {
    const name = `/model/layers.${index}/input_layernorm`;
    const normed = addNorm(draft, name, stream, added, layer.attentionNorm);
    const attended = addAttention(draft, checkpoint, layer, index, normed.output);
    const middle = `/model/layers.${index}/post_attention_layernorm`;
    const after = addNorm(draft, middle, normed.stream, attended, layer.feedForwardNorm);
    added = addFeedForward(draft, checkpoint, layer, index, after.output);
    stream = after.stream;
  });
  const final = `/model/layers.${checkpoint.layers}/final_norm_layernorm`;
  const { output } = addNorm(draft, final, stream, added, checkpoint.finalNorm);
  addHead(draft, checkpoint, output);
  const { kvHeads: keyValueHeads, layers, vocabulary } = checkpoint;
  return assembleDecoderModel(draft.nodes, draft.weights, {
    layers,
    keyValueHeads,
    headSize: widenedHeadSize,
    vocabulary,
  });
}

const lengths = "/model/attn_mask_reformat/attn_mask_subgraph";
const lastValid = `${lengths}/Sub/Cast/output_0`;
const totalLength = `${lengths}/Gather/Cast/output_0`;

/** seqlens_k = sum of the mask − 1, total_sequence_length = its length, both int32. */
function addLengths({ nodes }: Draft): void {
  const constant = (name: string, dims: number[], value: bigint) => {
    const tensor = makeTensor(name, elementType.int64, dims, BigInt64Array.of(value));
    nodes.push(makeNode("Constant", [], [name], { name: `${name}/Constant`, attributes: { value: tensor } }));
  };
  constant("/model/constants/INT64/[1]", [1], 1n);
  constant("/model/constants/INT64/1", [], 1n);
  const step = (name: string, operator: string, input: string[], attributes = {}) =>
    nodes.push(
      makeNode(operator, input, [`${lengths}/${name}/output_0`], { name: `${lengths}/${name}`, attributes }),
    );
  const out = (name: string) => `${lengths}/${name}/output_0`;
  step("ReduceSum", "ReduceSum", ["attention_mask", "/model/constants/INT64/[1]"], { keepdims: 0n });
  step("Sub", "Sub", [out("ReduceSum"), "/model/constants/INT64/[1]"]);
  step("Sub/Cast", "Cast", [out("Sub")], { to: BigInt(elementType.int32) });
  step("Shape", "Shape", ["attention_mask"]);
  step("Gather", "Gather", [out("Shape"), "/model/constants/INT64/1"], { axis: 0n });
  step("Gather/Cast", "Cast", [out("Gather")], { to: BigInt(elementType.int32) });
}

/** The embedding is the transposed output matrix; the runtime folds the transposition. */
function addEmbedding({ nodes }: Draft): void {
  const turned = "/model/embed_tokens/Transpose/output_0";
  nodes.push(
    makeNode("Transpose", ["lm_head.MatMul.weight"], [turned], {
      name: "/model/embed_tokens/Transpose",
      attributes: { perm: [1n, 0n] },
    }),
    makeNode("Gather", [turned, "input_ids"], ["/model/embed_tokens/Gather/output_0"], {
      name: "/model/embed_tokens/Gather",
    }),
  );
}

/** Root-mean-square norm of `stream` (plus `added`): its output, and the sum that goes on as the residual stream. */
function addNorm(
  { nodes, weights }: Draft,
  name: string,
  stream: string,
  added: string | null,
  weight: Float32Array,
): { output: string; stream: string } {
  const weightName = `${name.slice(1).replaceAll("/", ".")}.weight`;
  weights.push(makeFloatTensor(weightName, [weight.length], weight));
  const output = `${name}/output_0`;
  if (added === null) {
    const attributes = { epsilon, axis: -1n, stash_type: 1n };
    nodes.push(
      makeNode("SimplifiedLayerNormalization", [stream, weightName], [output], {
        name: `${name}/LayerNorm`,
        attributes,
      }),
    );
    return { output, stream };
  }
  const sum = `${name}/output_3`;
  nodes.push(
    makeNode("SkipSimplifiedLayerNormalization", [stream, added, weightName], [output, "", "", sum], {
      name: `${name}/SkipLayerNorm`,
      domain: contrib,
      attributes: { epsilon },
    }),
  );
  return { output, stream: sum };
}

function addAttention(
  draft: Draft,
  checkpoint: Checkpoint,
  layer: CheckpointLayer,
  index: number,
  input: string,
): string {
  const prefix = `/model/layers.${index}/attn`;
  const packed = addMatMul(draft, `${prefix}/qkv_proj`, input, packedQkvProjection(checkpoint, layer));
  const output = `${prefix}/GroupQueryAttention/output_0`;
  const past = [`past_key_values.${index}.key`, `past_key_values.${index}.value`];
  draft.nodes.push(
    makeNode(
      "GroupQueryAttention",
      [packed, "", "", ...past, lastValid, totalLength, "cos_cache", "sin_cache"],
      [output, `present.${index}.key`, `present.${index}.value`],
      {
        name: `${prefix}/GroupQueryAttention`,
        domain: contrib,
        attributes: {
          num_heads: BigInt(checkpoint.heads),
          kv_num_heads: BigInt(checkpoint.kvHeads),
          scale: 1 / Math.sqrt(checkpoint.dim / checkpoint.heads),
          local_window_size: -1n,
          softcap: 0,
          do_rotary: 1n,
          rotary_interleaved: 0n,
        },
      },
    ),
  );
  if (index === 0) {
    const { cos, sin } = rotaryTables(checkpoint);
    const dims = [checkpoint.sequenceLength, widenedHeadSize / 2];
    draft.weights.push(makeFloatTensor("cos_cache", dims, cos), makeFloatTensor("sin_cache", dims, sin));
  }
  return addMatMul(draft, `${prefix}/o_proj`, output, outputProjection(checkpoint, layer));
}

/** w2(silu(w1 x) · w3 x) */
function addFeedForward(
  draft: Draft,
  { dim, hiddenDim }: Checkpoint,
  layer: CheckpointLayer,
  index: number,
  input: string,
): string {
  const prefix = `/model/layers.${index}/mlp`;
  const gate = addMatMul(draft, `${prefix}/gate_proj`, input, matrix(hiddenDim, dim, layer.w1));
  const up = addMatMul(draft, `${prefix}/up_proj`, input, matrix(hiddenDim, dim, layer.w3));
  const step = (operator: string, name: string, inputs: string[]) => {
    draft.nodes.push(
      makeNode(operator, inputs, [`${prefix}/${name}/output_0`], { name: `${prefix}/${name}` }),
    );
    return `${prefix}/${name}/output_0`;
  };
  const sigmoid = step("Sigmoid", "act_fn/Sigmoid", [gate]);
  const silu = step("Mul", "act_fn/Mul", [gate, sigmoid]);
  const product = step("Mul", "Mul", [silu, up]);
  return addMatMul(draft, `${prefix}/down_proj`, product, matrix(dim, hiddenDim, layer.w2));
}

/** Stays in float32 in every precision, because it is also the embedding. */
function addHead({ nodes, weights }: Draft, { vocabulary, dim, embedding }: Checkpoint, input: string): void {
  const { values } = transpose(matrix(vocabulary, dim, embedding));
  weights.push(makeFloatTensor("lm_head.MatMul.weight", [dim, vocabulary], values));
  nodes.push(makeNode("MatMul", [input, "lm_head.MatMul.weight"], ["logits"], { name: "/lm_head/MatMul" }));
}

/** Multiplies `input` by the transposed weight; with four bits if requested and if the columns fill whole blocks. */
function addMatMul(draft: Draft, name: string, input: string, weight: Matrix): string {
  const output = `${name}/MatMul/output_0`;
  const weightName = `${name.slice(1).replaceAll("/", ".")}.MatMul.weight`;
  if (draft.precision === "q4" && weight.columns % blockSize === 0) {
    addQuantized(draft, name, weightName, input, output, weight);
    return output;
  }
  const { rows, columns, values } = transpose(weight);
  draft.weights.push(makeFloatTensor(weightName, [rows, columns], values));
  draft.nodes.push(makeNode("MatMul", [input, weightName], [output], { name: `${name}/MatMul` }));
  return output;
}

function addQuantized(
  { nodes, weights }: Draft,
  name: string,
  weightName: string,
  input: string,
  output: string,
  weight: Matrix,
): void {
  const { packed, scales, zeroPoints, bits } = quantize(weight, 4, blockSize);
  const { rows, columns } = weight;
  const blocks = columns / blockSize;
  const names = [`${weightName}_Q4G32`, `${weightName}_scale`, `${weightName}_zp`] as const;
  weights.push(
    makeTensor(names[0], elementType.uint8, [rows, blocks, (blockSize * bits) / 8], packed),
    makeFloatTensor(names[1], [rows, blocks], scales),
    makeTensor(names[2], elementType.uint8, [rows, zeroPoints.length / rows], zeroPoints),
  );
  nodes.push(
    makeNode("MatMulNBits", [input, ...names], [output], {
      name: `${name}/MatMul_Q4`,
      domain: contrib,
      attributes: {
        K: BigInt(columns),
        N: BigInt(rows),
        accuracy_level: 4n,
        bits: BigInt(bits),
        block_size: BigInt(blockSize),
      },
    }),
  );
}
