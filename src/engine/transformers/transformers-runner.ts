/** A model whose passes @huggingface/transformers computes, for graphs that our own runners do not know. */
import {
  configSizes,
  type DecoderGraph,
  type FloatType,
  refusedRun,
  UnsupportedGraphError,
} from "../decoder-graph.ts";
import type { GraphPass, GraphRunner } from "../graph-runner.ts";
import { type CacheSlot, cacheLayout } from "./cache-layout.ts";
import { type LibraryModel, loadTransformersLibrary } from "./library.ts";
import { LibrarySession } from "./library-session.ts";
import type { RuntimeTensor, TensorRuntime } from "./tensor-runtime.ts";
import { TextCache } from "./text-cache.ts";

/** A graph of a model with the name that the library has for it. */
export interface LibraryGraph {
  readonly name: string;
  readonly graph: Uint8Array;
  readonly externalData: ReadonlyMap<string, Uint8Array>;
}

export interface TransformersRunnerOptions {
  /** `model` alone, or `embed_tokens` and `decoder_model_merged`. */
  readonly graphs: readonly LibraryGraph[];
  readonly config: Readonly<Record<string, unknown>>;
  /** Name of the graph's file, for messages. */
  readonly file: string;
}

/**
 * The runtime becomes the runner's: `dispose` disposes of it.
 * @throws UnsupportedGraphError for models that the library does not know, or graphs that do not run.
 * @throws Error when the library cannot be fetched, or with the runtime's message when it refuses a graph.
 */
export async function createTransformersRunner(
  options: TransformersRunnerOptions,
  runtime: TensorRuntime,
): Promise<TransformersRunner> {
  const { graphs, config, file } = options;
  try {
    const library = await loadTransformersLibrary();
    const sessions: Record<string, LibrarySession> = {};
    for (const { name, graph, externalData } of graphs) {
      sessions[name] = new LibrarySession(await runtime.open(graph, externalData));
    }
    const decoder = sessions.decoder_model_merged ?? sessions.model;
    if (!decoder?.outputNames.includes("logits")) {
      const names = decoder?.outputNames.join(", ");
      throw new UnsupportedGraphError(
        `${file} gives no logits (it gives ${names}): it is no text decoder. Choose a model for text generation.`,
      );
    }
    const slots = cacheLayout(decoder.inputMetadata, decoder.outputMetadata, config, file);
    const model = await library.createModel(config, sessions);
    const runner = new TransformersRunner({ runtime, model, slots, config });
    await runner.probe(file, runtime.lost ? "WebGPU" : "WebAssembly");
    return runner;
  } catch (error) {
    await runtime.dispose();
    throw error;
  }
}

interface RunnerParts {
  readonly runtime: TensorRuntime;
  readonly model: LibraryModel;
  readonly slots: readonly CacheSlot[];
  readonly config: Readonly<Record<string, unknown>>;
}

export class TransformersRunner implements GraphRunner {
  readonly lost: Promise<Error> | null;
  readonly promptPassTokens: number;
  readonly #runtime: TensorRuntime;
  readonly #model: LibraryModel;
  readonly #cache: TextCache;
  readonly #contextLength: number;
  /** The tokens that the cache holds. */
  readonly #read: number[] = [];
  #graph: DecoderGraph | null = null;

  constructor({ runtime, model, slots, config }: RunnerParts) {
    this.#runtime = runtime;
    this.#model = model;
    this.#cache = new TextCache(runtime, slots);
    this.#contextLength = configSizes(config).contextLength;
    this.lost = runtime.lost;
    this.promptPassTokens = runtime.promptPassTokens;
  }

  /** What the first run told. */
  get graph(): DecoderGraph {
    if (!this.#graph) throw new Error("The graph has not run yet.");
    return this.#graph;
  }

  /** Whether a text that is cut back may have to be read again in part. */
  get hasState(): boolean {
    return this.#cache.hasState;
  }

  /** The cache grows with the text by itself. */
  get cacheRows(): number {
    return this.#contextLength;
  }

  get maxCacheRows(): number {
    return this.#contextLength;
  }

  get cacheBytes(): number {
    return this.#cache.bytesAt(this.#cache.length);
  }

  cacheBytesAt(rows: number): number {
    return this.#cache.bytesAt(rows);
  }

  grow(): void {}

  /** What has to be read again goes into the next pass, by `run`. */
  rewind(length: number): number {
    return length;
  }

  /**
   * The first run, of one token: what the logits are, and whether the graph runs at all. @throws UnsupportedOnDeviceError when it does
   * not.
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
        contextLength: this.#contextLength,
      };
      logits.dispose();
      this.#cut(0);
    } catch (error) {
      throw refusedRun(error, file, device);
    }
  }

  async run({ tokens, start, end, past, rows }: GraphPass): Promise<Float32Array> {
    let again = this.#cut(past);
    // What is read again may be longer than a pass.
    for (; again.length >= this.promptPassTokens; again = again.slice(this.promptPassTokens)) {
      const unread = await this.#forward(again.slice(0, this.promptPassTokens), 0);
      unread.dispose();
    }
    const logits = await this.#forward([...again, ...tokens.slice(start, end)], rows);
    try {
      return rows === 0 ? new Float32Array(0) : await this.#runtime.readRows(logits, rows);
    } finally {
      logits.dispose();
    }
  }

  /** Cuts the text back to `length` tokens. @returns those of them that the cache could not keep. */
  #cut(length: number): readonly number[] {
    const left = this.#cache.cutTo(length);
    const again = this.#read.slice(left, length);
    this.#read.length = left;
    return again;
  }

  /** Appends tokens in one pass. @returns the logits, which are the caller's. */
  async #forward(tokens: readonly number[], rows: number): Promise<RuntimeTensor> {
    const past = this.#cache.length;
    const outputs = await this.#model.forward({ tokens, past, rows, cache: this.#cache.tensors });
    const logits = outputs.get("logits");
    if (!logits) throw new Error("The runtime gave no logits.");
    this.#cache.take(outputs, past + tokens.length);
    this.#read.push(...tokens);
    this.#disposeOthers(outputs);
    return logits;
  }

  /** Frees outputs that nobody asked for: hidden states, attentions. */
  #disposeOthers(outputs: ReadonlyMap<string, RuntimeTensor>): void {
    const kept = new Set(this.#cache.tensors.values());
    for (const [name, tensor] of outputs) if (name !== "logits" && !kept.has(tensor)) tensor.dispose();
  }

  async dispose(): Promise<void> {
    this.#cache.dispose();
    await this.#runtime.dispose();
  }
}
