/** A model whose passes @huggingface/transformers computes, for graphs that our own runners do not support. */

import type { FloatType } from "../base/float-type.ts";
import type { GraphPass, WasmGraphRunner } from "../graph/graph-runner.ts";
import {
  type DecoderGraph,
  parseConfigSizes,
  refusedFirstRunError,
  UnsupportedGraphError,
} from "../onnx/decoder-graph.ts";
import { type CacheSlot, describeCacheSlots } from "./cache-layout.ts";
import { type LibraryModel, loadTransformersLibrary } from "./library.ts";
import { LibrarySession } from "./library-session.ts";
import type { RuntimeTensor, SessionGraph, TensorRuntime } from "./tensor-runtime.ts";
import { LibraryDecoderCache } from "./text-cache.ts";

/** A graph of a model, with the library's name for it. */
export interface LibraryGraph<File> extends SessionGraph<File> {
  readonly name: string;
}

export interface TransformersRunnerOptions<File> {
  /** `model` alone, or `embed_tokens` and `decoder_model_merged`. */
  readonly graphs: readonly LibraryGraph<File>[];
  readonly config: Readonly<Record<string, unknown>>;
  /** Name of the graph's file, for messages. */
  readonly file: string;
}

/**
 * Makes a runner that owns the runtime: `dispose` disposes of it.
 * @throws UnsupportedGraphError for models that the library does not support, or graphs that do not run.
 * @throws Error if the library cannot be fetched, or with the runtime's message if it refuses a graph.
 */
export async function createTransformersRunner<File>(
  options: TransformersRunnerOptions<File>,
  runtime: TensorRuntime<File>,
): Promise<TransformersRunner> {
  try {
    return await openRunner(options, runtime);
  } catch (error) {
    await runtime.dispose();
    throw error;
  }
}

async function openRunner<File>(
  { graphs, config, file }: TransformersRunnerOptions<File>,
  runtime: TensorRuntime<File>,
): Promise<TransformersRunner> {
  const library = await loadTransformersLibrary();
  const sessions: Record<string, LibrarySession> = {};
  for (const graph of graphs) sessions[graph.name] = new LibrarySession(await runtime.open(graph));
  const model = await library.createModel(config, sessions);
  const decoder = sessions.decoder_model_merged ?? sessions.model;
  if (!decoder?.outputNames.includes("logits")) {
    throw new UnsupportedGraphError(
      `${file} returns no logits (it returns ${decoder?.outputNames.join(", ")}): it is not a text decoder. Choose a model for text generation.`,
    );
  }
  const slots = describeCacheSlots(decoder.inputMetadata, decoder.outputMetadata, config, file);
  if (slots.length === 0) {
    throw new UnsupportedGraphError(
      `${file} has no KV cache (no "past" inputs), so the model would have to read the whole text again for every token. Export the model with a cache.`,
    );
  }
  const { contextLength } = parseConfigSizes(config);
  const runner = new TransformersRunner({ runtime, model, slots, contextLength });
  try {
    await runner.probe(file, runtime.lost ? "WebGPU" : "WebAssembly");
    return runner;
  } catch (error) {
    runner.forget();
    throw error;
  }
}

interface RunnerParts {
  readonly runtime: TensorRuntime;
  readonly model: LibraryModel;
  readonly slots: readonly CacheSlot[];
  readonly contextLength: number;
}

export class TransformersRunner implements WasmGraphRunner {
  readonly lost: Promise<Error> | null;
  readonly promptPassTokens: number;
  readonly threads: number;
  readonly threadNote: string;
  /** The library's cache grows by itself. */
  readonly cacheRows: number;
  readonly maxCacheRows: number;
  readonly #runtime: TensorRuntime;
  readonly #model: LibraryModel;
  readonly #cache: LibraryDecoderCache;
  #graph: DecoderGraph | null = null;

  constructor({ runtime, model, slots, contextLength }: RunnerParts) {
    this.#runtime = runtime;
    this.#model = model;
    this.#cache = new LibraryDecoderCache(runtime, slots, contextLength);
    this.cacheRows = contextLength;
    this.maxCacheRows = contextLength;
    this.lost = runtime.lost;
    this.promptPassTokens = runtime.promptPassTokens;
    this.threads = runtime.threads;
    this.threadNote = runtime.threadNote;
  }

  /** The graph's metadata, known after the first run. */
  get graph(): DecoderGraph {
    if (!this.#graph) throw new Error("The graph has not run yet.");
    return this.#graph;
  }

  /** Whether after a cut some tokens may have to be read again. */
  get hasState(): boolean {
    return this.#cache.hasState;
  }

  get cacheBytes(): number {
    return this.#cache.bytes;
  }

  cacheBytesAt(rows: number): number {
    return this.#cache.bytesAt(rows);
  }

  grow(): void {}

  rewind(length: number): number {
    return this.#cache.rewind(length);
  }

  /**
   * The first run, with one token: shows the shape of the logits, and whether the graph runs at all.
   * @throws UnsupportedOnDeviceError if it does not run.
   */
  async probe(file: string, device: string): Promise<void> {
    try {
      const logits = await this.#forward([0], 1);
      this.#graph = {
        vocabularySize: logits.dims.at(-1) ?? 0,
        logitsType: logits.type as FloatType,
        attentionMask: true,
        positionIds: false,
        rowsToKeepShape: null,
        integerTypes: {},
        cacheKind: "growing-cache",
        caches: [],
        states: [],
        contextLength: this.maxCacheRows,
      };
      logits.dispose();
      this.#cache.rewind(0);
    } catch (error) {
      throw refusedFirstRunError(error, file, device);
    }
  }

  async run({ tokens, start, end, rows }: GraphPass): Promise<Float32Array> {
    const logits = await this.#forward(tokens.slice(start, end), rows);
    try {
      return rows === 0 ? new Float32Array(0) : await this.#runtime.readRows(logits, rows);
    } finally {
      logits.dispose();
    }
  }

  /** Appends tokens in one pass. @returns the logits, which the caller owns */
  async #forward(tokens: readonly number[], rows: number): Promise<RuntimeTensor> {
    const past = this.#cache.length;
    const outputs = await this.#model.forward({ tokens, past, rows, cache: this.#cache.tensors });
    const logits = outputs.get("logits");
    if (!logits) throw new Error("The runtime returned no logits.");
    this.#cache.take(outputs, past + tokens.length);
    this.#disposeOthers(outputs);
    return logits;
  }

  /** Frees outputs that are not used, such as hidden states and attentions. */
  #disposeOthers(outputs: ReadonlyMap<string, RuntimeTensor>): void {
    const kept = new Set(this.#cache.tensors.values());
    for (const [name, tensor] of outputs) if (name !== "logits" && !kept.has(tensor)) tensor.dispose();
  }

  /** Frees the cache. */
  forget(): void {
    this.#cache.dispose();
  }

  async dispose(): Promise<void> {
    this.forget();
    await this.#runtime.dispose();
  }
}
