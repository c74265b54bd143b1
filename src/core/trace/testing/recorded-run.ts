/** Real runs of the bundled model under mods of the gallery, as `e2e/bench/permalink/make-corpus.ts` recorded them. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { decodeTraceFile } from "../codec/codec.ts";
import { createTraceModel, type TraceModel } from "../model/trace-model.ts";

const folder = resolve(import.meta.dirname, "../../../../e2e/bench/permalink/corpus");

/** @param name name of a file of the corpus, without its ending. */
export function recordedRun(name: string): TraceModel {
  const { trace } = decodeTraceFile(readFileSync(resolve(folder, `${name}.trace`)));
  const model = createTraceModel();
  model.append(trace.records);
  return model;
}
