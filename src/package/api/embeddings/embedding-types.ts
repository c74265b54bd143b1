/** The types of `POST /v1/embeddings`, as in OpenAI's API reference. Types only. */
import type { CallOptions } from "../completions-api.ts";

export interface EmbeddingRequest {
  /** A model, without mods. */
  readonly model: string;
  /** A text, a list of texts, token ids of the model, or a list of lists of token ids. */
  readonly input: string | readonly string[] | readonly number[] | readonly (readonly number[])[];
  /** By default "float". "base64": 32-bit floats, little-endian. */
  readonly encoding_format?: "float" | "base64" | null;
  /** If given, it must be the model's hidden size. */
  readonly dimensions?: number | null;
  readonly user?: string;
}

export interface EmbeddingList<Numbers = number[]> {
  readonly object: "list";
  readonly model: string;
  /** In the order of the input. */
  readonly data: {
    readonly object: "embedding";
    readonly index: number;
    /** The embedding as a vector of length 1. */
    readonly embedding: Numbers;
  }[];
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number };
}

/** The calls of `engine.embeddings`, as in OpenAI's client: `create` computes embeddings of texts. */
export interface Embeddings {
  /**
   * Averages the hidden states after the model's last layer, over all tokens except the first, and scales the mean to length
   * 1. The first call opens the model's layers, which loads the model again unless it was loaded with `openLayers`. Rejects
   * with the signal's reason, otherwise with an ApiError.
   */
  create(
    request: EmbeddingRequest & { readonly encoding_format: "base64" },
    options?: CallOptions,
  ): Promise<EmbeddingList<string>>;
  create(request: EmbeddingRequest, options?: CallOptions): Promise<EmbeddingList>;
}
