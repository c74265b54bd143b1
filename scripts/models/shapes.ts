/** Sizes of decoders: of real models, and of models for a single measurement. */

/** A decoder of the Llama kind: root-mean-square norms, rotary embedding, a gated feed-forward part, tied embeddings. */
export interface DecoderShape {
  readonly layers: number;
  readonly hidden: number;
  readonly intermediate: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly vocabulary: number;
  /** Most tokens of context. */
  readonly context: number;
  readonly rotaryTheta: number;
  readonly epsilon: number;
  /** Each query and key head has a norm before the rotary embedding, as in Qwen3. */
  readonly headNorms: boolean;
}

export interface NamedShape {
  readonly shape: DecoderShape;
  /** The tokenizer that fits the vocabulary. */
  readonly tokenizer: "smollm2" | "qwen3" | "stories260k";
  /** One line that describes the shape in the list of names. */
  readonly about: string;
}

const smollm2: DecoderShape = {
  layers: 30,
  hidden: 576,
  intermediate: 1536,
  heads: 9,
  keyValueHeads: 3,
  headSize: 64,
  vocabulary: 49_152,
  context: 8_192,
  rotaryTheta: 100_000,
  epsilon: 1e-5,
  headNorms: false,
};

const qwen3: DecoderShape = {
  layers: 28,
  hidden: 1_024,
  intermediate: 3_072,
  heads: 16,
  keyValueHeads: 8,
  headSize: 128,
  vocabulary: 151_936,
  context: 40_960,
  rotaryTheta: 1_000_000,
  epsilon: 1e-6,
  headNorms: true,
};

/** Small enough to be computed anywhere, with the vocabulary or the cache of a large model. */
const small: DecoderShape = {
  layers: 2,
  hidden: 64,
  intermediate: 128,
  heads: 4,
  keyValueHeads: 2,
  headSize: 32,
  vocabulary: 512,
  context: 8_192,
  rotaryTheta: 10_000,
  epsilon: 1e-6,
  headNorms: false,
};

/** The models that `npm run models -- make NAME` makes, by name. */
export const namedShapes = {
  "smollm2-135m-random": {
    shape: smollm2,
    tokenizer: "smollm2",
    about: "SmolLM2-135M's shape, random weights",
  },
  "smollm2-135m": {
    shape: smollm2,
    tokenizer: "smollm2",
    about:
      "SmolLM2-135M-Instruct itself: its weights from MIDTOKEN_MODELS, quantized anew in blocks of 32 (q4: the blocks of a GGUF's Q4_0)",
  },
  "qwen3-0.6b": {
    shape: qwen3,
    tokenizer: "qwen3",
    about: "Qwen3-0.6B's shape, random weights; with --layers as many layers as wanted, of 28",
  },
  "wide-vocabulary": {
    shape: { ...small, vocabulary: 151_936 },
    tokenizer: "qwen3",
    about: "two tiny layers under a vocabulary of 151,936",
  },
  "large-cache": {
    shape: { ...small, layers: 4, heads: 8, keyValueHeads: 8, headSize: 64 },
    tokenizer: "stories260k",
    about: "four tiny layers with a cache of 16 KB a token (float32)",
  },
} as const satisfies Record<string, NamedShape>;

export type GeneratedModelName = keyof typeof namedShapes;
