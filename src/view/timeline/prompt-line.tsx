/** Shows, above the answer, what was asked, and whether a mod rewrote the prompt before the model read it. */
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { promptRewriters } from "./prompt-rewriters.ts";

export function PromptLine({ trace }: { trace: TraceModel }) {
  const asked = askedText(trace);
  if (asked === null) return null;
  const prompt = promptRewriters(trace).length > 0 ? (trace.prefilled?.tokens ?? []) : [];
  const read = joined(prompt.length, (place) => prompt[place]?.text);
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

/** UTF-16 units of a prompt that are drawn. */
const longestDrawn = 20_000;

/** Texts one after the other, as far as they are drawn. */
function joined(count: number, textAt: (place: number) => string | undefined): string {
  let text = "";
  for (let place = 0; place < count; place += 1) {
    text += textAt(place) ?? "";
    if (text.length > longestDrawn) return `${text.slice(0, longestDrawn)}… (the record has more)`;
  }
  return text;
}

/** The text of the last message; null if the record lacks it. */
export function askedText(trace: TraceModel): string | null {
  const content = trace.request?.messages.at(-1)?.content ?? null;
  const parts = typeof content === "string" ? [{ text: content }] : (content ?? []);
  return joined(parts.length, (place) => parts[place]?.text) || null;
}
