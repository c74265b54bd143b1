/** Reads a graph from the beginning of an ONNX file while the rest is still being downloaded. */
import { parseModel } from "./codec.ts";
import type { Model } from "./model.ts";
import { OnnxFormatError, WireReader, WireWriter, wireTypes } from "./wire.ts";

/** Field number of the graph in the message ModelProto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). */
const graphField = 7;

/**
 * The model, as far as the beginning of its file contains complete fields. Exporters write nodes before weights, and inputs
 * and outputs after them, so the result usually has all nodes but no inputs and outputs. Null if the beginning contains no
 * part of a graph.
 * @throws OnnxFormatError if the graph is invalid or exceeds the limits.
 */
export function parseGraphBeginning(head: Uint8Array): Model | null {
  const reader = new WireReader(head);
  for (let field = fieldAt(reader); field !== null; field = fieldAt(reader)) {
    if (field.tag === graphField * 8 + wireTypes.bytes)
      return modelOf(head.subarray(field.content, field.end));
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
  model.tag(graphField, wireTypes.bytes);
  model.bytes(graph.subarray(0, whole));
  return parseModel(model.finish());
}

interface Field {
  readonly tag: number;
  /** Offset of the field's value. `end` is the offset after the value, which may be beyond the bytes that were read. */
  readonly content: number;
  readonly end: number;
}

/** The field at the reader's position; null at the end, or if the bytes end before the field's length. */
function fieldAt(reader: WireReader): Field | null {
  if (reader.done) return null;
  try {
    const tag = reader.length();
    const isSpan = tag % 8 === wireTypes.bytes;
    const length = isSpan ? reader.length() : 0;
    const content = reader.position;
    if (!isSpan) reader.skip(tag % 8);
    return { tag, content, end: reader.position + length };
  } catch (cause) {
    // The bytes are cut short or damaged. Reading the whole file later says which.
    if (cause instanceof OnnxFormatError) return null;
    throw cause;
  }
}
