/** Runs a decoder graph in Node on the plain WebAssembly build, for tests that compare graphs. */
import * as ort from "onnxruntime-web/wasm";
import { float16ToFloat32 } from "../../base/float16-arrays.ts";

ort.env.wasm.numThreads = 1;
ort.env.logLevel = "error";

export interface GraphFiles {
  readonly model: Uint8Array;
  /** External data by the path that the graph names. */
  readonly external?: ReadonlyMap<string, Uint8Array>;
}

/** A session with a growing cache: `run` appends tokens and returns their logits, (tokens, vocabulary). */
export interface GraphRun {
  readonly session: ort.InferenceSession;
  run(tokens: readonly number[]): Promise<Float32Array>;
  release(): Promise<void>;
}

export async function openGraph({ model, external = new Map() }: GraphFiles): Promise<GraphRun> {
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ["wasm"],
    externalData: Array.from(external, ([path, data]) => ({ path, data })),
  });
  let cache = emptyCache(session);
  let length = 0;
  return {
    session,
    release: () => session.release(),
    async run(tokens) {
      const total = length + tokens.length;
      const feeds: Record<string, ort.Tensor> = {
        ...cache,
        input_ids: integers(tokens),
        attention_mask: integers(new Array(total).fill(1)),
      };
      if (session.inputNames.includes("position_ids")) {
        feeds.position_ids = integers(tokens.map((_, i) => length + i));
      }
      const results = await session.run(feeds);
      length = total;
      cache = Object.fromEntries(
        Object.keys(cache).map((name) => [name, tensor(results, presentName(name))]),
      );
      return floats(tensor(results, "logits"));
    },
  };
}

function presentName(past: string): string {
  return past.replace(/^past_key_values\.|^past\./, "present.");
}

function floats({ type, data }: ort.Tensor): Float32Array {
  if (type === "float32") return data as Float32Array;
  const { buffer, byteOffset, byteLength } = data as Uint16Array;
  return float16ToFloat32(new Uint16Array(buffer, byteOffset, byteLength / 2));
}

function tensor(results: ort.InferenceSession.OnnxValueMapType, name: string): ort.Tensor {
  const value = results[name];
  if (!(value instanceof ort.Tensor)) throw new Error(`The graph gave no tensor "${name}".`);
  return value;
}

/** Caches of length 0; states of convolutions have their full size and are zero. */
function emptyCache(session: ort.InferenceSession): Record<string, ort.Tensor> {
  const cache: Record<string, ort.Tensor> = {};
  for (const info of session.inputMetadata) {
    if (!info.isTensor || !info.name.startsWith("past")) continue;
    const dims = info.shape.map((dim) => {
      if (typeof dim === "number") return dim;
      return dim.includes("batch") ? 1 : 0;
    });
    const size = dims.reduce((product, dim) => product * dim, 1);
    cache[info.name] =
      info.type === "float16"
        ? new ort.Tensor("float16", new Uint16Array(size), dims)
        : new ort.Tensor("float32", new Float32Array(size), dims);
  }
  return cache;
}

function integers(values: readonly number[]): ort.Tensor {
  return new ort.Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length]);
}

/** Index of the largest value of the last row. */
export function lastArgmax(logits: Float32Array, vocabulary: number): number {
  const row = logits.subarray(logits.length - vocabulary);
  let best = 0;
  for (let i = 1; i < row.length; i++) if ((row[i] ?? 0) > (row[best] ?? 0)) best = i;
  return best;
}

/** The largest absolute difference; NaN if one is NaN. @throws RangeError if the lengths differ */
export function largestDifference(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) throw new RangeError(`${a.length} values against ${b.length}.`);
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs((a[i] ?? 0) - (b[i] ?? 0));
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}
