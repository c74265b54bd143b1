/** The last record of a run that was cut off because its page was left: what is known of it, with the reason `cancelled`. */
import type { FinishedRecord, TraceRecord } from "../../trace/format.ts";
import { createTraceModel } from "../../trace/trace-model.ts";
import { liveText } from "../../trace/trace-text.ts";

/** The records with their end. Prompt tokens that were found in the KV cache are not known and count as none. */
export function closeInterrupted(records: readonly TraceRecord[]): readonly TraceRecord[] {
  const model = createTraceModel();
  model.append(records);
  const { prefilled, live, totals } = model;
  const timeUs = records.reduce(
    (last, record) => ("timeUs" in record ? Math.max(last, record.timeUs) : last),
    0,
  );
  const prefillUs = prefilled?.timeUs ?? 0;
  const finished: FinishedRecord = {
    type: "finished",
    timeUs,
    step: live.length,
    reason: "cancelled",
    text: liveText(model),
    toolCalls: [],
    error: null,
    usage: {
      promptTokens: prefilled?.tokens.length ?? 0,
      completionTokens: live.length,
      reusedTokens: 0,
      forwardPasses: totals.forwardPasses,
    },
    prefillUs,
    decodeUs: prefilled ? timeUs - prefillUs : 0,
  };
  return [...records, finished];
}
