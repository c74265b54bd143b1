/** A run that is saved only in pieces, because its page was left before the whole run was written. */
import { runToEnd } from "../../core/base/resumable-work.ts";
import { createTraceModel, type TraceModel } from "../../core/trace/model/trace-model.ts";
import { checkingRecords } from "../../core/trace/parse/parse-records.ts";
import { withFinishedRecord } from "./close-interrupted.ts";
import type { RunPageMetadata } from "./run-metadata.ts";
import type { RunPiece } from "./schema.ts";

/**
 * The whole run to save in place of its pieces; null if there are no pieces. @throws TraceError if the pieces make no valid
 * trace.
 */
export function runOfPieces(
  id: string,
  pieces: readonly RunPiece[],
): { readonly trace: TraceModel; readonly origin: RunPageMetadata } | null {
  const [first] = pieces;
  if (!first) return null;
  const records = pieces.flatMap((piece) => piece.records);
  const isWhole = records.at(-1)?.type === "finished";
  const whole = isWhole ? records : withFinishedRecord(records);
  const parsed = runToEnd(checkingRecords({ version: first.version, records: whole }, false));
  const trace = createTraceModel();
  trace.append(parsed.records);
  const { modIds, from = null } = first;
  const when = trace.request?.createdAt || Date.now();
  return { trace, origin: { id, when, modIds, from, recorded: false, interrupted: !isWhole } };
}
