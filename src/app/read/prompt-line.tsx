/** Shows, above the answer, what was asked, and whether a mod rewrote the prompt before the model read it. */
import type { TraceModel } from "../../trace/trace-model.ts";
import { promptRewriters } from "./summary-words.ts";

export function PromptLine({ trace }: { trace: TraceModel }) {
  const asked = askedText(trace);
  if (asked === null) return null;
  const read =
    promptRewriters(trace).length > 0 ? trace.prefilled?.tokens.map(({ text }) => text).join("") : null;
  return (
    <div className="prompt-line">
      <p>{asked}</p>
      {read && (
        <p className="prompt-rewritten">
          In its place the model read: <q>{read}</q>
        </p>
      )}
    </div>
  );
}

/** The text of the last message; null where the record lacks it. */
function askedText(trace: TraceModel): string | null {
  const content = trace.request?.messages.at(-1)?.content ?? null;
  const text =
    typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
  return text === "" ? null : text;
}
