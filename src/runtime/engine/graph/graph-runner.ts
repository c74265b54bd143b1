/** The interface that devices implement: one loaded graph with its cache, run pass by pass. */
import type { ExpectedNext } from "../../../core/decoder/ports/language-model.ts";
import type { ComputedLogits } from "../../../core/decoder/ports/logits.ts";
import type { SteeringVectors } from "../../../core/decoder/ports/model-layers.ts";
import type { SegmentStore } from "../decoder-cache/segment-store.ts";
import type { DecoderGraph, GraphBytes, GraphFileMetadata } from "../onnx/decoder-graph.ts";
import type { OpenedLayers } from "../onnx/opened-layers.ts";

/**
 * Most tokens of a prompt that one pass computes, by device: enough to use the device well, and few enough that a cancel,
 * which waits for one pass, takes effect soon. On WebAssembly nothing can interrupt a pass, and longer passes are hardly
 * faster: with SmolLM2-135M-Instruct (int8), 128 tokens after 448 others take 1.82 seconds of processor time in passes of 32
 * (half a second each), 1.73 in passes of 64 and 1.81 in one. Short passes also save more states, one at the end of each
 * pass, so a cut rarely has to compute many tokens again.
 */
export const promptPassTokens = { wasm: 32, webgpu: 512, webgpuWithStates: 128 } as const;

/** The layers of a graph that was rewritten so that they can be read and steered. */
export interface GraphLayers<File>
  extends Pick<OpenedLayers, "layers" | "hiddenSize" | "selectsRows" | "type"> {
  /** Final norm and output matrix, as a separate graph. */
  readonly lens: GraphBytes<File>;
}

/** A graph to run. */
export interface RunnerOptions<File> extends GraphFileMetadata, GraphBytes<File> {
  /** The graph of the embeddings, if it is separate; `graph` is then a decoder that reads embeddings. */
  readonly embedTokens?: GraphBytes<File> | undefined;
  /** The inputs and outputs of the layers of `graph`; absent if the graph was not rewritten. */
  readonly layers?: GraphLayers<File> | undefined;
  /**
   * Whether the logits of a large vocabulary stay on the device, where kernels compute the requested numbers. False for a
   * device that is no faster than this thread.
   */
  readonly logitsStay?: boolean;
  /** Number of cache rows to allocate at first. */
  readonly cacheRows: number;
  /** Threads on WebAssembly; unless given, `wasm-threads.ts` chooses. */
  readonly threads?: number | undefined;
}

/**
 * A pass over some of the tokens to compute: `tokens[start]` to `tokens[end - 1]`. The tokens that are in the cache (`past`)
 * come before `tokens[start]` in the text and are not counted by `start`.
 */
export interface GraphPass {
  readonly tokens: readonly number[];
  readonly start: number;
  readonly end: number;
  /** Tokens in the cache before this pass: the result of `rewind`, or the end of the last pass. */
  readonly past: number;
  /** How many of the last tokens need logits; 0 for none. */
  readonly rows: number;
  /**
   * The vectors to add to the residual stream after layers, for graphs that accept them. Reusing the same map means that the
   * vectors are unchanged.
   */
  readonly steering?: SteeringVectors;
}

/** A runner's access to its layers. The caller has checked layers, widths and numbers. See ModelLayers. */
export interface RunnerLayers {
  readonly count: number;
  readonly hiddenSize: number;
  keep(layers: readonly number[]): void;
  /** Drops the collected rows. The passes with logits that follow are collected together. */
  forget(): void;
  /** @throws RangeError if no rows were collected. */
  hidden(layer: number): Promise<Float32Array> | Float32Array;
  lens(rows: Float32Array): Promise<Float32Array> | Float32Array;
}

/** Runs passes over a graph without checking them: `DecoderModel` has validated ids, lengths and capacity. Calls do not overlap. */
export interface GraphRunner {
  readonly graph: DecoderGraph;
  /** Number of rows that the cache has now. */
  readonly cacheRows: number;
  /** Number of rows to which the cache may grow on this device. */
  readonly maxCacheRows: number;
  /** Bytes of device memory that the model uses now, weights and cache; absent if the runtime does not report it. */
  readonly memoryBytes?: number;
  /** Bytes that the cache takes now. */
  readonly cacheBytes: number;
  /** Bytes that the cache takes with room for `rows` tokens. */
  cacheBytesAt(rows: number): number;
  /** Makes room for `rows` rows, and keeps the first `keep`. @throws RangeError if memory is short; nothing has changed */
  grow(rows: number, keep: number): Promise<void> | void;
  /**
   * Forgets all but the first `length` tokens.
   * @returns how many of them are in the cache: `length`, or fewer. The next pass begins there.
   */
  rewind(length: number): number;
  /** Copies of parts of the cache; absent if the cache is not our own. */
  readonly segments?: SegmentStore;
  /** The entry of `promptPassTokens` for this device. */
  readonly promptPassTokens: number;
  /**
   * The logits of the last `rows` tokens, `(rows, vocabulary)`; fewer rows if the graph computes fewer.
   * Every error is final: the runner must not be used again.
   */
  run(pass: GraphPass): Promise<Float32Array> | Float32Array;
  /** As `run`, for at least one row, but the logits stay on the device; absent if they are always read back. See LanguageModel. */
  runRows?(pass: GraphPass, temperature: number, next?: ExpectedNext): Promise<readonly ComputedLogits[]>;
  /** Present together with `runRows`. See LanguageModel. */
  uploadRow?(logits: Float32Array, temperature: number): Promise<ComputedLogits>;
  /** Absent if the graph was not rewritten to open its layers. */
  readonly layers?: RunnerLayers | undefined;
  /** Resolves with the device's message when the device is lost; null on WebAssembly. */
  readonly lost: Promise<Error> | null;
  dispose(): Promise<void>;
}

/** A runner on WebAssembly. */
export interface WasmGraphRunner extends GraphRunner {
  /** Number of threads that compute, including the calling thread. */
  readonly threads: number;
  /** A sentence that says why only one thread computes although several could; otherwise "". */
  readonly threadNote: string;
}
