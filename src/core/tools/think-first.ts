/** Lets a model think before an answer that must follow a format. */
import type { Strategy } from "../masks/strategy.ts";
import type { TraceReasoning } from "../trace/format/format-request.ts";
import { languageStrategy, optionalSpace, textWithout } from "./call-object.ts";
import type { WriteMarker } from "./format.ts";

/**
 * The strategy `answer` with any reasoning in front: if the prompt has not begun the reasoning, the model decides whether to
 * think. Reasoning ends at its first closing mark, so formats and calls inside it do not count. The model's own answer marks
 * may surround the answer.
 */
export function allowReasoningFirst(answer: Strategy, marks: TraceReasoning, marker: WriteMarker): Strategy {
  return languageStrategy((expressions) => {
    const { anything } = expressions;
    const open = marker(expressions, marks.open);
    const close = marker(expressions, marks.close);
    const space = optionalSpace(expressions);
    const plain = answer.build(expressions);
    const around = marks.answer;
    const answered = around
      ? expressions.union(
          plain,
          expressions.sequence(
            marker(expressions, around.open),
            ...(around.close === "" ? [plain] : [space, plain, space, marker(expressions, around.close)]),
          ),
        )
      : plain;
    const rest = expressions.sequence(textWithout(expressions, close), close, space, answered);
    if (marks.isBegun) return rest;
    const thought = expressions.sequence(space, open, anything);
    return expressions.union(
      expressions.difference(answered, thought),
      expressions.sequence(space, open, rest),
    );
  });
}
