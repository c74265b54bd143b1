/** Why a run is paused, and where, in one sentence. */
import type { Pause } from "../../session/run-control.ts";
import { callSummary } from "../../trace/event-list.ts";
import type { TraceRecord } from "../../trace/format.ts";
import type { TraceModel } from "../../trace/trace-model.ts";
import { modName, quote, textToQuote } from "../../trace/trace-view.ts";
import { visibleText } from "../../trace/visible-text.ts";
import { formatCount, plural } from "../../ui/format.ts";
import { ruleWords } from "./breakpoint-words.ts";

export function PauseWords({ pause, trace }: { readonly pause: Pause; readonly trace: TraceModel }) {
  return pauseSentence(pause, trace);
}

export function pauseSentence({ why, records, isBetweenSteps }: Pause, trace: TraceModel): string {
  const last = trace.records[records - 1];
  const next = `token ${formatCount(trace.live.length + 1)}`;
  switch (why.type) {
    case "breakpoints": {
      const met = why.met.map(ruleWords).join("; ");
      return `Paused at a breakpoint: ${met}. ${sentence(happened(trace, last))}`;
    }
    case "event":
      return `Paused. ${sentence(happened(trace, last))}`;
    case "asked":
    case "token":
      return isBetweenSteps ? `Paused before ${next}.` : "Paused while the prompt is read.";
  }
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** What was written down last. */
function happened(trace: TraceModel, record: TraceRecord | undefined): string {
  switch (record?.type) {
    case "prefilled":
      return `the prompt of ${plural(record.tokens.length, "token")} is ready`;
    case "forwardPass":
      return `the model has given its odds for token ${formatCount(record.step + 1)}`;
    case "adjusted":
    case "scored":
      return `the odds of token ${formatCount(trace.live.length + 1)} are worked out`;
    case "sampled":
      return `${quote(record.text)} is drawn as token ${formatCount(record.step + 1)}, and not added yet`;
    case "added": {
      const text = textToQuote(record.tokens.length, (place) => record.tokens[place]?.text);
      return `${quote(text)} is added: ${plural(record.step, "token")} so far`;
    }
    case "backtracked":
      return `${plural(record.removed.length, "token")} ${record.removed.length === 1 ? "is" : "are"} taken back`;
    case "modCall":
      return `the mod ${visibleText(modName(trace, record.mod))} answered “${record.event}”: ${visibleText(callSummary(record)).replace(/\.$/, "")}`;
    default:
      return "nothing has happened yet";
  }
}
