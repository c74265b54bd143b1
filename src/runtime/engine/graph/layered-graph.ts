/** Rewrites the files of a model so that its layers can be read and steered. */
import { type GraphBytes, UnsupportedGraphError } from "../onnx/decoder-graph.ts";
import { openLayers } from "../onnx/open-layers.ts";
import type { GraphLayers } from "./graph-runner.ts";

export interface GraphWithLayers<File> extends GraphBytes<File> {
  readonly layers: GraphLayers<File>;
  /** See OpenedLayers. */
  readonly lensBytes: number;
}

/** @param file for messages. @throws UnsupportedGraphError, with the reason, for a graph whose layers are not found. */
export function openGraphLayers<File>(
  { graph, externalData }: GraphBytes<File>,
  file: string,
): GraphWithLayers<File> {
  const opened = openLayers(graph);
  if (typeof opened === "string") throw layersStayClosedError(file, opened);
  const { graph: rewritten, lens, lensBytes, ...layers } = opened;
  return {
    graph: rewritten,
    externalData,
    lensBytes,
    layers: { ...layers, lens: { graph: lens, externalData } },
  };
}

/** @param why the end of a sentence, without its full stop */
export function layersStayClosedError(file: string, why: string): UnsupportedGraphError {
  return new UnsupportedGraphError(
    `The layers of ${file} cannot be read or steered: ${why}. Load the model without layers, or choose another export of the model.`,
  );
}

/** The error for a model whose passes run on a server. */
export function noLayersOnServerError(): UnsupportedGraphError {
  return new UnsupportedGraphError(
    "The layers of this model cannot be read or steered, because the model runs on a server that does not return hidden states. Leave out embeddings and the mods that read or steer layers, or run the model here.",
  );
}

/** The reason, inside a sentence, why the layers of a model that our own runners do not support stay closed. */
export const throughLibraryReason = "it runs through @huggingface/transformers";
