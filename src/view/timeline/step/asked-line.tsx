/** The question that a token belongs to: asked: 'Mood:' → 'happy'. Fetched for such a token only. */
import { askedLabel } from "../../../core/trace/model/question-text.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";

export function AskedLine({ trace, span }: { readonly trace: TraceModel; readonly span: number }) {
  return <p className="inspector-question">{askedLabel(trace, span)}</p>;
}
