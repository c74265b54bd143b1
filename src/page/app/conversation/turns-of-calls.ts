/** Turns that continue after an output with tool calls: the calls, and a turn for the result of each call. */

import { textBesideCalls } from "../../../core/tools/formats.ts";
import type { FinishedRecord } from "../../../core/trace/format/format.ts";
import type { TraceReasoning } from "../../../core/trace/format/format-request.ts";
import { splitReasoning } from "../../../core/trace/text/reasoning.ts";
import type { NewTurn } from "../store/turns.ts";

/** `offersTools`: the request had tools, so that the model may have written the calls in its text. A mod that calls a tool writes none. */
export function turnsOfToolCalls(
  { text, toolCalls }: Pick<FinishedRecord, "text" | "toolCalls">,
  offersTools: boolean,
  reasoning?: TraceReasoning,
): readonly NewTurn[] {
  const { answer, answerStart } = splitReasoning(text, reasoning);
  const beside = textBesideCalls(answer, toolCalls.length) ?? (offersTools ? "" : answer);
  // The reasoning before a call helps with the text after the call. The chat template decides how long the reasoning
  // is shown.
  const thought = text.slice(0, answerStart);
  const calls = toolCalls.map(({ id, function: called }) => ({ id, ...called }));
  return [
    { role: "assistant", text: thought + beside, calls },
    ...calls.map(({ id }): NewTurn => ({ role: "tool", text: "", callId: id })),
  ];
}
