/** An answer that calls tools, as turns to go on from: the calls, and a turn for the answer of each. */
import { textBesideCalls } from "../../api/answer-calls.ts";
import type { FinishedRecord } from "../../trace/format.ts";
import type { NewTurn } from "../store/turns.ts";

/** `offersTools`: the request had tools, so that the model may have written the calls in its text. A mod that calls a tool writes none. */
export function turnsOfCalls(
  { text, toolCalls }: Pick<FinishedRecord, "text" | "toolCalls">,
  offersTools: boolean,
): readonly NewTurn[] {
  const beside = textBesideCalls(text, toolCalls.length) ?? (offersTools ? "" : text);
  const calls = toolCalls.map(({ id, function: called }) => ({ id, ...called }));
  return [
    { role: "assistant", text: beside, calls },
    ...calls.map(({ id }): NewTurn => ({ role: "tool", text: "", callId: id })),
  ];
}
