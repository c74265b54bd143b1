/** The question that a token belongs to: asked: 'Mood:' → 'happy'. Its code is fetched only for such a token. */
import { questionLabel } from "../../../core/trace/model/question-text.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { wrapQuotes } from "../whole-quotes.tsx";

export function QuestionLine({ trace, span }: { readonly trace: TraceModel; readonly span: number }) {
  return <p className="inspector-question">{wrapQuotes(questionLabel(trace, span))}</p>;
}
