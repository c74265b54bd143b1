/** The files of a graph, by their addresses: fetched, and rewritten for tests that need another graph than the file has. */
import type { GpuModelOptions } from "../../src/runtime/engine/load/create-webgpu-model.ts";
import { parseModel } from "../../src/runtime/engine/onnx/codec.ts";
import { inspectGraph } from "../../src/runtime/engine/onnx/inspect.ts";
import { convertGraphToFloat16 } from "../../src/runtime/engine/onnx/testing/halve-graph.ts";
import { shortenGraph } from "../../src/runtime/engine/onnx/testing/shorten-graph.ts";

/** A graph by its addresses. */
export interface GraphAddress {
  /** Ends in `/`. */
  readonly folder: string;
  readonly file: string;
  readonly externalData: boolean;
  /** Through @huggingface/transformers, on the GPU. */
  readonly throughLibrary?: true;
  /** Everything that is float32 in the file is made float16 before it is loaded. */
  readonly halved?: true;
  /** So many layers, or a few more, and 512 logits remain of the graph; see `shortenGraph`. */
  readonly layers?: number;
}

async function bytes(url: string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

export async function readGraphFiles({
  folder,
  file,
  externalData,
  halved,
  layers,
}: GraphAddress): Promise<Omit<GpuModelOptions, "device" | "layers">> {
  const data = `${file}_data`;
  const name = data.replace(/.*\//, "");
  const config = JSON.parse(new TextDecoder().decode(await bytes(`${folder}config.json`)));
  const given = await bytes(folder + file);
  const beside = new Map(externalData ? [[name, await bytes(folder + data)]] : []);
  const kinds: string[] = config.layer_types ?? [];
  const short =
    layers === undefined ? given : shortenGraph(given, beside, { layers, vocabulary: 512, kinds });
  const graph = halved ? convertGraphToFloat16(short, beside) : short;
  return {
    graph,
    summary: inspectGraph(parseModel(graph)),
    externalData: halved ? new Map() : beside,
    // A short context, so that filling it takes a few passes.
    config: { ...config, max_position_embeddings: Math.min(200, config.max_position_embeddings) },
    endOfSequence: [2],
    file,
  };
}
