/** An answer that calls tools, as turns to go on from: the calls, and a turn for the answer of each. */

import { textBesideCalls } from "../../../core/tools/formats.ts";
import type { FinishedRecord } from "../../../core/trace/format/format.ts";
import type { TraceReasoning } from "../../../core/trace/format/format-request.ts";
import { splitReasoning } from "../../../core/trace/text/reasoning.ts";
import type { NewTurn } from "../store/turns.ts";

/** `offersTools`: the request had tools, so that the model may have written the calls in its text. A mod that calls a tool writes none. */
export function turnsOfCalls(
  { text, toolCalls }: Pick<FinishedRecord, "text" | "toolCalls">,
  offersTools: boolean,
  reasoning?: TraceReasoning,
): readonly NewTurn[] {
  const { answer, answerStart } = splitReasoning(text, reasoning);
  const beside = textBesideCalls(answer, toolCalls.length) ?? (offersTools ? "" : answer);
  // The reasoning before a call helps the text after it. The chat template knows how long to show it.
  const thought = text.slice(0, answerStart);
  const calls = toolCalls.map(({ id, function: called }) => ({ id, ...called }));
  return [
    { role: "assistant", text: thought + beside, calls },
    ...calls.map(({ id }): NewTurn => ({ role: "tool", text: "", callId: id })),
  ];
}
