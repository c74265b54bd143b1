/**
 * The bare session: nothing but the runtime's public `session.run` on WebAssembly, over a cache of fixed size, in the
 * build that the engine uses there (`onnxruntime-web/wasm`). On the CPU that API copies the caches in and out.
 */
import * as ort from "onnxruntime-web/wasm";
import type { TokenId } from "../../../src/core/sdk/request.ts";
import { describeGraph } from "../../../src/runtime/engine/onnx/decoder-graph.ts";
import type { Subject } from "./rival.ts";

ort.env.wasm.wasmPaths = new URL("/node_modules/onnxruntime-web/dist/", location.href).href;

export interface BareSession {
  /**
   * Feeds the prompt, then all but the last of `tokens` one by one. Milliseconds per token fed, the prompt apart.
   * @throws Error when the logits do not lead to the last of `tokens`: then it did not compute the same.
   */
  replay(prompt: readonly TokenId[], tokens: readonly TokenId[]): Promise<number>;
  release(): Promise<void>;
}

/** @param capacity rows of cache: as few as the text needs, because all of them are copied. */
export async function openBare(
  { folder, dtype }: Subject,
  capacity: number,
  threads: number,
): Promise<BareSession> {
  ort.env.wasm.numThreads = threads;
  const file = `onnx/model${dtype === "fp32" ? "" : `_${dtype}`}.onnx`;
  const [config, graph] = await Promise.all([fetchJson(`${folder}config.json`), fetchBytes(folder + file)]);
  const session = await ort.InferenceSession.create(graph);
  const { caches } = describeGraph(tensors(session.inputMetadata), tensors(session.outputMetadata), {
    file,
    config,
    summary: { cache: "shared-cache", rotaryNodes: [] },
  });
  const ones = new BigInt64Array(capacity).fill(1n);
  let past: Record<string, ort.Tensor> = {};
  let length = 0;

  const run = async (tokens: readonly TokenId[]): Promise<ort.Tensor> => {
    const count = tokens.length;
    const ids = BigInt64Array.from(tokens, BigInt);
    length += count;
    const outputs = await session.run({
      ...past,
      input_ids: new ort.Tensor("int64", ids, [1, count]),
      attention_mask: new ort.Tensor("int64", ones.subarray(0, length), [1, length]),
    });
    for (const { input, output } of caches) past[input] = outputs[output] as ort.Tensor;
    return outputs.logits as ort.Tensor;
  };
  const begin = (): void => {
    length = 0;
    past = Object.fromEntries(
      caches.map(({ input, heads, headSize }) => {
        const zeros = new Float32Array(heads * capacity * headSize);
        return [input, new ort.Tensor("float32", zeros, [1, heads, capacity, headSize])];
      }),
    );
  };

  return {
    async replay(prompt, tokens) {
      begin();
      let logits = await run(prompt);
      const startMs = performance.now();
      for (let i = 0; i < tokens.length - 1; i++) logits = await run(tokens.slice(i, i + 1));
      const perTokenMs = (performance.now() - startMs) / (tokens.length - 1);
      const best = lastArgmax(logits);
      if (best !== tokens.at(-1))
        throw new Error(`The bare session's last token is ${best} instead of ${tokens.at(-1)}.`);
      return perTokenMs;
    },
    release: () => session.release(),
  };
}

function lastArgmax({ data, dims }: ort.Tensor): TokenId {
  const width = dims.at(-1) ?? 0;
  const row = (data as Float32Array).subarray(-width);
  return row.reduce((best, logit, token) => (logit > (row[best] ?? 0) ? token : best), 0);
}

function tensors(metadata: ort.InferenceSession["inputMetadata"]) {
  return metadata.map((value) =>
    value.isTensor
      ? { name: value.name, type: value.type, shape: value.shape }
      : { name: value.name, type: "not a tensor", shape: [] },
  );
}

export async function fetchBytes(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

export async function fetchJson(url: string): Promise<Record<string, unknown>> {
  return JSON.parse(new TextDecoder().decode(await fetchBytes(url))) as Record<string, unknown>;
}
