/** Makes the `finished` record of a run that has none, because its page was left before the end or its engine broke down. */
import type { FinishedRecord, TraceRecord } from "../../core/trace/format/format.ts";
import { createTraceModel } from "../../core/trace/model/trace-model.ts";

/**
 * The records with a `finished` record at the end: its reason is `cancelled`, or `error` if a failure is given. The number of
 * prompt tokens from the KV cache is unknown and counts as 0.
 */
export function withFinishedRecord(
  records: readonly TraceRecord[],
  failure: string | null = null,
): readonly TraceRecord[] {
  const model = createTraceModel();
  model.append(records);
  const { prefilled, totals, tokens } = model;
  const hidden = new Set(records.flatMap(hiddenIndices));
  const live = model.outputTokens.filter((index) => !hidden.has(index));
  const timeUs = records.reduce(
    (last, record) => ("timeUs" in record ? Math.max(last, record.timeUs) : last),
    0,
  );
  const prefillUs = prefilled?.timeUs ?? 0;
  const finished: FinishedRecord = {
    type: "finished",
    timeUs,
    step: model.outputTokens.length,
    reason: failure === null ? "cancelled" : "error",
    lengthLimit: null,
    text: live.map((index) => tokens.text[index] ?? "").join(""),
    toolCalls: [],
    error: failure === null ? null : { message: failure, mod: null },
    usage: {
      promptTokens: prefilled?.tokens.length ?? 0,
      completionTokens: live.length,
      hiddenTokens: hidden.size,
      reusedTokens: 0,
      forwardPasses: totals.forwardPasses,
    },
    prefillUs,
    decodeUs: prefilled ? timeUs - prefillUs : 0,
  };
  return [...records, finished];
}

/** The indices of the tokens of a hidden question that the record adds: these tokens are no part of the output. */
function hiddenIndices(record: TraceRecord): readonly number[] {
  return record.type === "added" && record.hidden ? record.tokens.map((_token, at) => record.index + at) : [];
}
