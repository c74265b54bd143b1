/** Checks the first nodes of a graph, so that a graph that cannot run is refused before its weights are downloaded. */
import { messageOf } from "../../../core/base/message-of.ts";
import { ModelFileError } from "../base/model-file-error.ts";
import type { CheckHead } from "../download/head-check.ts";
import { parseGraphBeginning } from "../onnx/graph-head.ts";
import type { GraphSummary } from "../onnx/graph-summary.ts";
import { inspectGraph } from "../onnx/inspect.ts";

/** Receives the summary of a graph, and throws if the graph cannot run. */
export type CheckGraph = (summary: GraphSummary, file: string) => void;

/** Checks the beginning of a graph's file. The check throws the errors of `check`, and a ModelFileError if the beginning is damaged. */
export function createGraphHeadCheck(file: string, check: CheckGraph): CheckHead {
  return (head) => {
    const summary = summaryOf(head, file);
    if (summary) check(summary, file);
  };
}

function summaryOf(head: Uint8Array, file: string): GraphSummary | null {
  try {
    const model = parseGraphBeginning(head);
    return model && inspectGraph(model);
  } catch (cause) {
    throw damagedGraphError(file, cause);
  }
}

export function damagedGraphError(file: string, cause: unknown): ModelFileError {
  return new ModelFileError(`${file} is not a valid ONNX file: ${messageOf(cause)}`, file, null, { cause });
}
