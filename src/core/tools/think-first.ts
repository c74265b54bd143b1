/** Answers of a model that may think before what it was asked for. */
import type { Strategy } from "../masks/strategy.ts";
import type { TraceReasoning } from "../trace/format/format-request.ts";
import { language, optionalSpace, without } from "./call-object.ts";
import type { WriteMarker } from "./format.ts";

/**
 * `answer`, before which the model may think in any words: where the prompt has not begun it, the model decides. The reasoning
 * ends with the first closing mark, so what it says of formats and calls is never taken for one. Marks that the model has for
 * its answer may stand around it.
 */
export function thinkFirst(answer: Strategy, marks: TraceReasoning, marker: WriteMarker): Strategy {
  return language((expressions) => {
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
    const rest = expressions.sequence(without(expressions, close), close, space, answered);
    if (marks.isBegun) return rest;
    const thought = expressions.sequence(space, open, anything);
    return expressions.union(
      expressions.difference(answered, thought),
      expressions.sequence(space, open, rest),
    );
  });
}
