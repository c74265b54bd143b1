/** Reads the exporters' graphs, which are not in the repository, for tests. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { modelFolder } from "../../../../../scripts/models-folder.ts";
import type { ExternalData } from "../../base/weight-bytes.ts";
import type { GraphFiles } from "./run-graph.ts";

/** All `.onnx` files of the exporters' miniatures, sorted. Empty if they are missing: the caller then adds a skipped test. */
export function exportedGraphs(): string[] {
  const folder = modelFolder("exported");
  if (folder === null) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".onnx"))
    .map((path) => join(folder, path))
    .sort();
}

/** A graph's file and its external data, if it has any. */
export function readGraph(path: string): Required<GraphFiles> {
  const data = `${path}_data`;
  const external = new Map<string, Uint8Array>();
  if (existsSync(data)) external.set(basename(data), readFileSync(data));
  return { model: new Uint8Array(readFileSync(path)), external };
}

/** Computes all external data and keeps it in memory, as `ort.InferenceSession` needs it. */
export function loadExternalData(external: ExternalData): Map<string, Uint8Array> {
  return new Map(Array.from(external, ([name, file]) => [name, file.subarray(0, file.byteLength).slice()]));
}
