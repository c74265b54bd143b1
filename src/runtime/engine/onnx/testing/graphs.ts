/** The exporters' graphs, for tests. They are not in the repository. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { modelFolder } from "../../../../../scripts/models-folder.ts";
import type { ExternalData } from "../../base/weight-bytes.ts";
import type { GraphFiles } from "./run-graph.ts";

/** Every `.onnx` file of the exporters' miniatures, sorted; none if they are missing: who asks then skips a test in their place. */
export function exportedGraphs(): string[] {
  const folder = modelFolder("exported");
  if (folder === null) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".onnx"))
    .map((path) => join(folder, path))
    .sort();
}

/** A graph's file and, where there is one, its external data. */
export function readGraph(path: string): Required<GraphFiles> {
  const data = `${path}_data`;
  const external = new Map<string, Uint8Array>();
  if (existsSync(data)) external.set(basename(data), readFileSync(data));
  return { model: new Uint8Array(readFileSync(path)), external };
}

/** External data with every weight computed and kept, as `ort.InferenceSession` wants it. */
export function inMemory(external: ExternalData): Map<string, Uint8Array> {
  return new Map(Array.from(external, ([name, file]) => [name, file.subarray(0, file.byteLength).slice()]));
}
