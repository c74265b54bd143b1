/** What was asked, quietly above the answer; and whether a mod rewrote it before the model read it. */

import type { TraceModel } from "../../trace/trace-model.ts";
import { modName } from "../../trace/trace-view.ts";

export function PromptLine({ trace }: { trace: TraceModel }) {
  const rewritten = rewriters(trace);
  const asked = askedText(trace);
  if (asked === null) return null;
  return (
    <div className="prompt-line">
      <p>{asked}</p>
      {rewritten.length > 0 && (
        <p className="prompt-rewritten">
          <span className="summary-mark summary-steered">rewritten</span> by {rewritten.join(" and ")}; the
          model read: <q>{trace.prefilled?.tokens.map(({ text }) => text).join("")}</q>
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

function rewriters(trace: TraceModel): readonly string[] {
  if ((trace.prefilled?.originalLength ?? null) === null) return [];
  const mods = trace.interventions
    .filter(({ kind }) => kind === "adjustPrefill")
    .map(({ mod }) => modName(trace, mod));
  return mods.length > 0 ? mods : ["a mod"];
}
