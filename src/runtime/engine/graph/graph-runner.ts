/** The part that differs between devices: one loaded graph with its cache, run pass by pass. */
import type { ExpectedNext } from "../../../core/decoder/ports/language-model.ts";
import type { ComputedLogits } from "../../../core/decoder/ports/logits.ts";
import type { SteeringVectors } from "../../../core/decoder/ports/model-layers.ts";
import type { SegmentStore } from "../decoder-cache/segment-store.ts";
import type { DecoderGraph, GraphFile } from "../onnx/decoder-graph.ts";
import type { OpenedLayers } from "../onnx/opened-layers.ts";

/**
 * Most tokens of a prompt that one pass computes, by device: as many as use it well, and few enough that a cancel, which waits
 * for one pass, is heard soon. On WebAssembly a pass is one call that nothing interrupts, and long ones are hardly
 * faster: of SmolLM2-135M-Instruct (int8), 128 tokens after 448 others take 1.82 seconds of processor time in passes of 32 (half a
 * second each), 1.73 in passes of 64 and 1.81 in one.
 * A state is kept at the end of each pass alone, so that short passes leave more places to cut the text at.
 */
export const promptPassTokens = { wasm: 32, webgpu: 512, webgpuWithStates: 128 } as const;

/** A graph's bytes, with its weights in the form that the device reads. */
export interface GraphBytes<File> {
  readonly graph: Uint8Array;
  /** The contents of its external data files, by the names that the graph has for them. */
  readonly externalData: ReadonlyMap<string, File>;
}

/** The layers of a graph that was rewritten so that they can be read and steered. */
export interface GraphLayers<File>
  extends Pick<OpenedLayers, "layers" | "hiddenSize" | "selectsRows" | "type"> {
  /** Final norm and head as a graph of their own. */
  readonly lens: GraphBytes<File>;
}

/** A graph to run. */
export interface RunnerOptions<File> extends GraphFile, GraphBytes<File> {
  /** The graph of the embeddings, where it is one of its own: `graph` is then the decoder that takes them. */
  readonly embedTokens?: GraphBytes<File> | undefined;
  /** The layer inputs and outputs of `graph`; absent if the graph is as its exporter wrote it. */
  readonly layers?: GraphLayers<File> | undefined;
  /**
   * Logits of a large vocabulary stay on the device, and kernels compute the requested numbers. This takes longer on a device
   * that is no faster than this thread.
   */
  readonly logitsStay?: boolean;
  /** Rows of cache to begin with. */
  readonly cacheRows: number;
  /** Threads on WebAssembly; as `wasm-threads.ts` chooses unless given. */
  readonly threads?: number | undefined;
}

/** Some tokens of a list: `tokens[start]` to `tokens[end - 1]`. */
export interface GraphPass {
  readonly tokens: readonly number[];
  readonly start: number;
  readonly end: number;
  /** Tokens already in the cache: what `rewind` gave, or where the last pass ended. */
  readonly past: number;
  /** Rows of logits wanted, the last ones; 0 for none. */
  readonly rows: number;
  /** The vectors added to the stream after layers, for graphs that accept them. The same map means the same vectors. */
  readonly steering?: SteeringVectors;
}

/** A runner's access to its layers. Layers, widths and numbers were checked. See ModelLayers. */
export interface RunnerLayers {
  readonly count: number;
  readonly hiddenSize: number;
  keep(layers: readonly number[]): void;
  /** Forgets the rows of the passes before: what passes with logits give from now on is kept together. */
  forget(): void;
  /** @throws RangeError if none are kept. */
  hidden(layer: number): Promise<Float32Array> | Float32Array;
  lens(rows: Float32Array): Promise<Float32Array> | Float32Array;
}

/** Runs passes over a graph without checking them: `DecoderModel` has validated ids, lengths and capacity. Calls do not overlap. */
export interface GraphRunner {
  readonly graph: DecoderGraph;
  /** Rows that the cache has now. */
  readonly cacheRows: number;
  /** Rows that the cache may grow to on this device. */
  readonly maxCacheRows: number;
  /** Bytes that the model takes on its device now, weights and cache; absent if the runtime does not tell. */
  readonly memoryBytes?: number;
  /** Bytes that the cache takes now. */
  readonly cacheBytes: number;
  /** Bytes that the cache takes with room for `rows` tokens. */
  cacheBytesAt(rows: number): number;
  /** Makes room for `rows`, keeping the first `keep`. @throws RangeError when the memory is not there; nothing has changed. */
  grow(rows: number, keep: number): Promise<void> | void;
  /**
   * Forgets all but the first `length` tokens.
   * @returns how many of them are in the cache: `length`, or fewer. The next pass begins there.
   */
  rewind(length: number): number;
  /** Copies of parts of the cache; absent if it is not kept by us. */
  readonly segments?: SegmentStore;
  /** The entry of `promptPassTokens` for this device. */
  readonly promptPassTokens: number;
  /**
   * The last `rows` rows of logits, `(rows, vocabulary)`; fewer where the graph computes fewer.
   * Any error it throws is final: the runner must not be used again.
   */
  run(pass: GraphPass): Promise<Float32Array> | Float32Array;
  /** As `run`, for at least one row, with rows that stay on the device; absent if they are brought here anyway. See LanguageModel. */
  runRows?(pass: GraphPass, temperature: number, next?: ExpectedNext): Promise<readonly ComputedLogits[]>;
  /** There with `runRows`. See LanguageModel. */
  uploadRow?(logits: Float32Array, temperature: number): Promise<ComputedLogits>;
  /** Absent if the graph is as its exporter wrote it. */
  readonly layers?: RunnerLayers | undefined;
  /** Resolves with the device's message when the device is lost; null on WebAssembly. */
  readonly lost: Promise<Error> | null;
  dispose(): Promise<void>;
}

/** A runner on WebAssembly. */
export interface WasmGraphRunner extends GraphRunner {
  /** Threads that compute, the calling thread included. */
  readonly threads: number;
  /** A sentence that says why there is one thread although there could be several; otherwise empty. */
  readonly threadNote: string;
}
