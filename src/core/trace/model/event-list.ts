/** The list of events with the mods' replies, in a few words each. The texts are untrusted: show them as text. */
import { countWithNoun } from "../../base/number-text.ts";
import { type ModCallItem, modCallItem } from "./call-summary.ts";
import { kindLabels } from "./kind-labels.ts";
import type { EventItem, TraceModel } from "./trace-model.ts";
import { quote, textToQuote } from "./trace-view.ts";

/** An event as the event list shows it. */
export interface EventEntry {
  readonly event: EventItem;
  /** The event in a few words. */
  readonly summary: string;
  readonly calls: readonly ModCallItem[];
}

/** Every event with its mod calls. */
export function eventList(model: TraceModel): readonly EventEntry[] {
  return model.events.map((event) => ({
    event,
    summary: eventSummary(model, event),
    calls: event.calls.flatMap((record) => modCallItem(model, record) ?? []),
  }));
}

/** The event in a few words. */
export function eventSummary(model: TraceModel, event: EventItem): string {
  const record = event.record === null ? undefined : model.records[event.record];
  switch (record?.type) {
    case "prefilled":
      return record.originalLength === null
        ? countWithNoun(record.tokens.length, "prompt token")
        : `${countWithNoun(record.tokens.length, "prompt token")}, ${record.originalLength} before the mods changed the prompt`;
    case "forwardPass": {
      // An earlier pass may have computed these logits already, because it had this token as a draft token.
      const done =
        record.tokenCount === 0
          ? "computed in an earlier pass"
          : `${countWithNoun(record.tokenCount, "token")} computed`;
      return `${done}${event.adjusted === null ? "" : ", probabilities adjusted"}`;
    }
    case "sampled":
      return record.healed
        ? `${quote(record.text)} completes ${quote(record.healed.text)} (token healing)`
        : quote(record.text);
    case "added": {
      const text = textToQuote(record.tokens.length, (place) => record.tokens[place]?.text);
      return `${kindLabels[record.source]} ${quote(text)}${record.isEos ? ", end" : ""}`;
    }
    case "backtracked":
      return `${countWithNoun(record.removed.length, "token")} removed, ${record.replacement} inserted instead`;
    case "finished":
      return record.error ? `${record.reason}: ${record.error.message}` : record.reason;
    default:
      return "this event did not complete";
  }
}
