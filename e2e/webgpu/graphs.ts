/** The graphs that the WebGPU specs run on, by their addresses on the dev server. */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { modelsFolder } from "../../scripts/models-folder.ts";
import { exportedGraphs } from "../../src/runtime/engine/testing/exported-models.ts";
import { type ExportedGraph, graphsOf } from "../../src/runtime/engine/testing/graph-folder.ts";
import type { GraphAddress } from "./graph-files.ts";

export interface ServedGraph extends ExportedGraph {
  readonly address: GraphAddress;
}

function served(graph: ExportedGraph, folder: string): ServedGraph {
  const externalData = existsSync(join(graph.folder, `${graph.file}_data`));
  return { ...graph, address: { folder, file: graph.file, externalData } };
}

const publicFolder = join(import.meta.dirname, "../../public");
const bundledFolder = join(publicFolder, "models/stories260k");

export const bundledGraphs: readonly ServedGraph[] = graphsOf(bundledFolder).map((graph) =>
  served(graph, `/${relative(publicFolder, bundledFolder)}/`),
);

export const exported: readonly ServedGraph[] = exportedGraphs().map((graph) =>
  served(graph, `/shared-models/${relative(modelsFolder() ?? "", graph.folder)}/`),
);

/** Needs shader-f16: float16.spec.ts. */
export const isFloat16 = ({ name }: ServedGraph): boolean => /q4f16/.test(name);
