/** Reads a graph from the beginning of an ONNX file while the rest is still being downloaded. */
import { parseModel } from "./codec.ts";
import type { Model } from "./model.ts";
import { OnnxFormatError, WireReader, WireWriter, wire } from "./wire.ts";

/** Number of the model's field that is its graph (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). */
const graphField = 7;

/**
 * A model of all that is whole in the beginning of its file: of what exporters write all nodes, which come before the weights, but
 * no inputs and outputs, which come after them. Null if the beginning holds nothing of a graph.
 * @throws OnnxFormatError for a graph that is none, or is beyond the limits.
 */
export function graphHead(head: Uint8Array): Model | null {
  const reader = new WireReader(head);
  for (let field = fieldAt(reader); field !== null; field = fieldAt(reader)) {
    if (field.tag === graphField * 8 + wire.bytes) return modelOf(head.subarray(field.content, field.end));
    if (field.end > head.length) return null;
    reader.position = field.end;
  }
  return null;
}

/** @param graph the beginning of a graph. */
function modelOf(graph: Uint8Array): Model | null {
  const reader = new WireReader(graph);
  let whole = 0;
  for (let field = fieldAt(reader); field !== null && field.end <= graph.length; field = fieldAt(reader)) {
    whole = field.end;
    reader.position = whole;
  }
  if (whole === 0) return null;
  const model = new WireWriter();
  model.tag(graphField, wire.bytes);
  model.bytes(graph.subarray(0, whole));
  return parseModel(model.finish());
}

interface Field {
  readonly tag: number;
  /** The first byte of its value, and the first byte after it, which may be beyond the bytes that were read. */
  readonly content: number;
  readonly end: number;
}

/** The field that begins where the reader is; null at the end, and for one of which not even the length is there. */
function fieldAt(reader: WireReader): Field | null {
  if (reader.done) return null;
  try {
    const tag = reader.length();
    const isSpan = tag % 8 === wire.bytes;
    const length = isSpan ? reader.length() : 0;
    const content = reader.position;
    if (!isSpan) reader.skip(tag % 8);
    return { tag, content, end: reader.position + length };
  } catch (cause) {
    // Cut short, or damaged: when all of it is there, reading it says which.
    if (cause instanceof OnnxFormatError) return null;
    throw cause;
  }
}
