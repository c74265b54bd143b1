/** Reads the graphs of a model folder, for tests in Node. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseModel } from "../onnx/codec.ts";
import { inspectGraph } from "../onnx/inspect.ts";

export interface ExportedGraph {
  /** For example `tiny-llama/model_q4`. */
  readonly name: string;
  readonly folder: string;
  /** `onnx/model_q4.onnx` */
  readonly file: string;
  readonly quantized: boolean;
}

export interface ExpectedOutput {
  readonly prompt: readonly number[];
  readonly reference: { readonly greedy: readonly number[]; readonly logsumexp: number };
}

/** Every graph of a model folder. */
export function graphsOf(folder: string): ExportedGraph[] {
  const onnx = join(folder, "onnx");
  if (!existsSync(onnx)) return [];
  return readdirSync(onnx)
    .filter((file) => file.endsWith(".onnx"))
    .sort()
    .map((file) => ({
      name: `${basename(folder)}/${file.replace(".onnx", "")}`,
      folder,
      file: `onnx/${file}`,
      quantized: file.includes("_q4"),
    }));
}

/** Reads the files of a graph that a runner needs. */
export function readGraph({ folder, file }: ExportedGraph) {
  const read = (path: string) => new Uint8Array(readFileSync(join(folder, path)));
  const data = `${file}_data`;
  const externalData = new Map<string, Uint8Array>();
  if (existsSync(join(folder, data))) externalData.set(basename(data), read(data));
  const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8")) as Record<string, unknown>;
  const graph = read(file);
  return { graph, externalData, config, file, summary: inspectGraph(parseModel(graph)) };
}

export function readExpectedOutput({ folder }: ExportedGraph): ExpectedOutput {
  return JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as ExpectedOutput;
}
