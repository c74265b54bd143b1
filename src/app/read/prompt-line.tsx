/** What was asked, quietly above the answer; and whether a mod rewrote it before the model read it. */
import type { TraceModel } from "../../trace/trace-model.ts";
import { listed, promptRewriters } from "./summary-words.ts";

export function PromptLine({ trace }: { trace: TraceModel }) {
  const rewritten = promptRewriters(trace);
  const asked = askedText(trace);
  if (asked === null) return null;
  return (
    <div className="prompt-line">
      <p>{asked}</p>
      {rewritten.length > 0 && (
        <p className="prompt-rewritten">
          <span className="summary-mark summary-adjusted">rewritten</span> by {listed(rewritten)}; the model
          read: <q>{trace.prefilled?.tokens.map(({ text }) => text).join("")}</q>
        </p>
      )}
    </div>
  );
}

/** The last turn; null where the record lacks it. */
function askedText(trace: TraceModel): string | null {
  const content = trace.request?.messages.at(-1)?.content ?? null;
  const text =
    typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
  return text === "" ? null : text;
}
