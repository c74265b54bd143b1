/** Files of a model, rewritten so that its layers can be read and steered. */
import { UnsupportedGraphError } from "./decoder-graph.ts";
import type { GraphBytes, GraphLayers } from "./graph-runner.ts";
import { openLayers } from "./onnx/open-layers.ts";

export interface LayeredFiles<File> extends GraphBytes<File> {
  readonly layers: GraphLayers<File>;
}

/** @param file for messages. @throws UnsupportedGraphError, with the reason, for a graph whose layers are not found. */
export function layeredFiles<File>(
  { graph, externalData }: GraphBytes<File>,
  file: string,
): LayeredFiles<File> {
  const opened = openLayers(graph);
  if (typeof opened === "string")
    throw new UnsupportedGraphError(
      `The layers of ${file} cannot be read or steered: ${opened}. Load it without layers, or choose another export of the model.`,
    );
  const { lens, ...layers } = opened;
  return { graph: opened.graph, externalData, layers: { ...layers, lens: { graph: lens, externalData } } };
}
