/** Shows the question above the answer, and whether a mod rewrote the prompt before the model read it. */
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { promptParts, textsToPromptParts } from "./prompt-parts.ts";
import { promptRewriters } from "./prompt-rewriters.ts";

export function PromptLine({ trace }: { trace: TraceModel }) {
  const asked = lastMessageOfRequest(trace);
  if (asked === null) return null;
  const read = promptRewriters(trace).length > 0 ? promptParts(trace.prefilled) : [];
  return (
    <div className="prompt-line">
      <p translate="no">{asked}</p>
      {read.length > 0 && (
        <p className="prompt-rewritten">
          The model read this rewritten prompt instead:{" "}
          <q translate="no">
            {read.map(({ text, isSpecial }, place) =>
              isSpecial ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a prompt never change places
                <span key={place} className="special-token" title="special token">
                  {text}
                </span>
              ) : (
                text
              ),
            )}
          </q>
        </p>
      )}
    </div>
  );
}

/** The text of the request's last message, cut if it is very long; null if the message is empty or not in the record. */
export function lastMessageOfRequest(trace: TraceModel): string | null {
  const content = trace.request?.messages.at(-1)?.content ?? null;
  const parts = typeof content === "string" ? [{ text: content }] : (content ?? []);
  return (
    textsToPromptParts(parts)
      .map(({ text }) => text)
      .join("") || null
  );
}
